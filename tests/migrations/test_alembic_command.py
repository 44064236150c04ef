"""Alembic's own command, for those who develop revisions: the same schema and the same promises."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from builders import attempt, dump, publish
from revisions import REBUILD, with_revision

from akm.store import schema, sql
from akm.store.opening import open_database


def alembic(database: Path, scripts: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Alembic's command on a database with the migrations in `scripts`."""
    settings = database.with_suffix(".ini")
    settings.write_text(f"[alembic]\nscript_location = {scripts}\npath_separator = os\n")
    command = [sys.executable, "-m", "alembic", "-c", str(settings), *arguments]
    environment = os.environ | {"AKM_DATABASE_URL": f"sqlite:///{database}"}
    return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=database.parent)


def test_the_command_makes_what_the_models_say(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    for arguments in (("upgrade", "head"), ("check",)):
        done = alembic(path, schema.script_location(), *arguments)
        assert done.returncode == 0, done.stderr
    with open_database(path, synchronous="normal") as db:
        assert schema.revision(db.connection) == sql.REVISIONS[-1]
        publish(db)


@pytest.mark.parametrize("fails", [False, True])
def test_the_command_applies_a_revision_whole_or_not_at_all(
    db_path: Path, tmp_path: Path, fails: bool
) -> None:
    with open_database(db_path, synchronous="normal") as db:
        attempt(db, publish(db, 2))
    before = dump(db_path)
    failing = '\n    raise RuntimeError("in the middle")' if fails else ""
    done = alembic(db_path, with_revision(tmp_path / "scripts", REBUILD + failing), "upgrade", "head")
    assert (done.returncode != 0) == fails, done.stderr
    after = dump(db_path)
    if fails:
        assert after == before
    else:
        assert {name: len(rows) for name, rows in after.items()} == {
            name: len(rows) for name, rows in before.items()
        }
        assert after["workflow_runs"][0]["colour"] == "red"
