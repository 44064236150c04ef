"""A revision that fails half-way leaves the file as it was. What is killed: `test_every_revision.py`."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from builders import a_child, a_spine, attempt, dump, publish
from revisions import REBUILD, with_revision

from akm.errors import AkmError, ConfigError, TransientError
from akm.services import runs
from akm.store import schema, sql
from akm.store.opening import open_database


def full(path: Path) -> dict[str, object]:
    """Fill the ledger at `path` with a run, a child, steps, units and events; returns all of it."""
    with open_database(path, synchronous="normal") as db:
        run_id = publish(db, 2)
        attempt(db, run_id)
        runs.publish_child(db, a_child(run_id), a_spine())
    return dict(dump(path))


@pytest.fixture
def scripts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> object:
    """Return a function that puts a newer revision in place of this build's newest."""

    def use(body: str) -> None:
        copy = with_revision(tmp_path / "alembic", body)
        monkeypatch.setattr(schema, "script_location", lambda: copy)
        monkeypatch.setattr(sql, "REVISIONS", (*sql.REVISIONS, "0999"))

    return use


@pytest.mark.parametrize(
    ("failing", "error"),
    [
        ('raise RuntimeError("in the middle")', RuntimeError),
        ('op.execute("INSERT INTO nowhere VALUES (1)")', AkmError),
        ("op.execute(\"DELETE FROM workflow_runs\")", ConfigError),
    ],
)  # fmt: skip
def test_a_revision_that_fails_leaves_the_file_as_it_was(
    db_path: Path, scripts: object, failing: str, error: type[Exception]
) -> None:
    before = full(db_path)
    scripts(f"{REBUILD}\n    {failing}")  # type: ignore[operator]
    with pytest.raises(error) as raised:
        open_database(db_path)
    assert type(raised.value) is error
    assert dump(db_path) == before


def test_rows_without_their_run_are_told_and_the_file_stays(db_path: Path, scripts: object) -> None:
    before = full(db_path)
    scripts('op.execute("DELETE FROM workflow_runs")')  # type: ignore[operator]
    with pytest.raises(ConfigError, match="left at its old revision"):
        open_database(db_path)
    assert dump(db_path) == before


def test_a_rebuilt_parent_keeps_its_children(db_path: Path, scripts: object) -> None:
    before = full(db_path)
    scripts(REBUILD)  # type: ignore[operator]
    open_database(db_path).close()
    after = dump(db_path)
    assert {name: len(rows) for name, rows in after.items()} == {
        name: len(rows)  # type: ignore[arg-type]
        for name, rows in before.items()
    }
    assert {run["colour"] for run in after["workflow_runs"]} == {"red"}


def test_an_upgrade_that_others_hold_up_is_transient(db_path: Path, scripts: object) -> None:
    before = full(db_path)
    scripts(REBUILD)  # type: ignore[operator]
    holder = sqlite3.connect(db_path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(TransientError) as refused:
        open_database(db_path, busy_seconds=0)
    holder.execute("ROLLBACK")
    holder.close()
    assert refused.value.code == "STATE_DB_CONTENDED"
    assert dump(db_path) == before
