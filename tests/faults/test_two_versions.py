"""Two versions of akm on one file: a newer one upgrades it while this one, opened before, goes on writing.

What this version does with a file that was newer already when it was opened: `tests/store/test_opening.py`.
"""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import campaign
import pytest
import revisions
from builders import dump, publish
from installed import Place as Machine
from installed import a_machine

from akm.errors import AkmError
from akm.store import schema
from akm.store.database import Database
from akm.store.opening import open_database

WRITER = Path(__file__).parents[1] / "store" / "writing.py"
ADDED = """
    op.add_column("events", sa.Column("colour", sa.Text(), nullable=False, server_default="red"))
"""


def upgrade(path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, body: str) -> None:
    """Do to a file what a newer akm does when it opens it."""
    copy = revisions.with_revision(folder / "newer", body)
    with monkeypatch.context() as newer:
        newer.setattr(schema, "script_location", lambda: copy)
        schema.upgrade(path)
    campaign.inject("upgrade")


@contextmanager
def writing(path: Path) -> Iterator[subprocess.Popen[str]]:
    """Let this version write from another process, until the block ends."""
    with subprocess.Popen(
        [sys.executable, str(WRITER), str(path)], stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "1\n"
        try:
            yield writer
        finally:
            writer.kill()


def test_what_is_written_while_a_newer_version_upgrades_is_all_there(
    db_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with writing(db_path) as writer:
        upgrade(db_path, tmp_path, monkeypatch, ADDED)
        with closing(sqlite3.connect(db_path)) as raw:
            (seen,) = raw.execute("SELECT count(*) FROM events").fetchone()
        assert writer.stdout is not None
        said = [int(writer.stdout.readline()) for _turn in range(seen + 50)]
    events = dump(db_path)["events"]
    # The writer may have written one that it did not get to say.
    assert len(events) >= said[-1] == seen + 51
    assert {event["colour"] for event in events} == {"red"}
    with closing(sqlite3.connect(db_path)) as raw:
        assert raw.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_a_statement_that_does_not_fit_the_upgraded_file_changes_nothing(
    db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(db)
    upgrade(db.path, tmp_path, monkeypatch, revisions.REBUILD.replace("checkin_armed_at", "plan_json"))
    before = dump(db)
    with pytest.raises(AkmError) as refused:
        publish(db)
    assert "\n" not in refused.value.message
    assert dump(db) == before


def test_a_file_that_was_upgraded_is_read_by_the_older_command_and_not_written(
    tmp_path: Path, migrated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine: Machine = a_machine(tmp_path / "place", migrated)
    path = machine.root / "data/state.db"
    with open_database(path, synchronous="normal") as db:
        run_id = publish(db)
    upgrade(path, tmp_path, monkeypatch, ADDED)
    before = dump(path)
    listed = machine.run("workflow", "list", "--all-scopes")
    assert [run["id"] for run in listed.result["runs"]] == [run_id]
    assert "0999" in listed.err
    refused = machine.run("workflow", "abandon", run_id)
    assert (refused.status, refused.error["code"]) == (78, "DATABASE_NEWER")
    assert dump(path) == before
