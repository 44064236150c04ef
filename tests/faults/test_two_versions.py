"""Two versions of akm on one file: the newer one upgrades it while the older, opened before, goes on writing.

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
from installed import a_machine

from akm.errors import AkmError
from akm.store import schema, sql
from akm.store.database import Database
from akm.store.opening import open_database

THIS = [sys.executable, str(Path(__file__).parents[1] / "store" / "writing.py")]
#: The same with a statement that every revision has had, and without a line of this version.
_OLDER = """
import itertools, sqlite3, sys
raw = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=60)
for number in itertools.count(1):
    raw.execute("BEGIN IMMEDIATE")
    raw.execute("INSERT INTO events (event_type, ts, metadata_json) VALUES ('written', 't', '{}')")
    raw.execute("COMMIT")
    print(number, flush=True)
"""
OLDER = [sys.executable, "-c", _OLDER]
ADDED = """
    op.add_column("events", sa.Column("colour", sa.Text(), nullable=False, server_default="red"))
"""
RENAMED = """
    op.execute("ALTER TABLE events RENAME COLUMN metadata_json TO facts_json")
"""


def upgrade(path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, body: str) -> None:
    """Do to a file what a newer akm does when it opens it."""
    copy = revisions.with_revision(folder / "newer", body)
    with monkeypatch.context() as newer:
        newer.setattr(schema, "script_location", lambda: copy)
        schema.upgrade(path)
    campaign.inject("upgrade")


@contextmanager
def writing(command: list[str], path: Path) -> Iterator[subprocess.Popen[str]]:
    """Let a command write to the ledger from another process, until the block ends."""
    with subprocess.Popen([*command, str(path)], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "1\n"
        try:
            yield writer
        finally:
            writer.kill()


def check_nothing_lost(path: Path, writer: subprocess.Popen[str]) -> None:
    """The writer goes on behind the upgrade, and every event that it says is committed is there."""
    with closing(sqlite3.connect(path)) as raw:
        (seen,) = raw.execute("SELECT count(*) FROM events").fetchone()
    assert writer.stdout is not None
    said = [int(writer.stdout.readline()) for _turn in range(seen + 50)]
    with closing(sqlite3.connect(path)) as raw:
        # The writer may have written one that it did not get to say.
        assert raw.execute("SELECT count(*) FROM events").fetchone()[0] >= said[-1] == seen + 51
        assert raw.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_what_is_written_while_a_newer_version_upgrades_is_all_there(
    db_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with writing(THIS, db_path) as writer:
        upgrade(db_path, tmp_path, monkeypatch, ADDED)
        check_nothing_lost(db_path, writer)
    assert {event["colour"] for event in dump(db_path)["events"]} == {"red"}


@pytest.mark.skipif(len(sql.REVISIONS) < 2, reason="there is no older revision yet")
def test_what_an_older_version_writes_while_this_one_upgrades_is_all_there(
    tmp_path: Path, migrated: Path
) -> None:
    machine = a_machine(tmp_path / "place", migrated)
    path = machine.root / "data/state.db"
    schema.downgrade(path, sql.REVISIONS[0])
    with writing(OLDER, path) as writer:
        assert machine.run("workflow", "list").status == 0
        campaign.inject("upgrade")
        assert machine.rows("SELECT version_num FROM alembic_version") == [(sql.REVISIONS[-1],)]
        check_nothing_lost(path, writer)
    assert len(list(path.parent.glob("*.bak"))) == 1


def test_a_statement_that_does_not_fit_the_upgraded_file_changes_nothing(
    db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(db)
    # The event is what a service writes last: all the rest of its act is there already, and must go.
    upgrade(db.path, tmp_path, monkeypatch, RENAMED)
    before = dump(db)
    with pytest.raises(AkmError) as refused:
        publish(db)
    assert "\n" not in refused.value.message
    assert dump(db) == before


def test_a_file_that_was_upgraded_is_read_by_the_older_command_and_not_written(
    tmp_path: Path, migrated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = a_machine(tmp_path / "place", migrated)
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
