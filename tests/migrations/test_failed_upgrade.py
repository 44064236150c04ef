"""A revision that fails or is killed half-way leaves the file as it was, and the next try works."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from builders import a_child, a_spine, attempt, dump, publish
from revisions import REBUILD, with_revision

from akm.errors import AkmError, ConfigError, TransientError
from akm.services import runs
from akm.store import schema, sql
from akm.store.opening import open_database

#: Upgrades copies of a file in forked children, each of which is killed at another of its statements.
KILL = """
import json, os, shutil, signal, sys
from pathlib import Path

sys.path[:0] = [sys.argv[3]]
from builders import dump
from akm.store import connect as connecting, schema
import alembic.command, sqlalchemy

scripts, source = Path(sys.argv[1]), Path(sys.argv[2])
schema.script_location = lambda: scripts
connect = connecting.connect


def upgrade(path, killed_at=0):
    told = []

    def count(text):
        told.append(text)
        if len(told) == killed_at:
            os.kill(os.getpid(), signal.SIGKILL)

    def opened(*arguments, **options):
        connection = connect(*arguments, **options)
        # The process dies and not the machine, so nothing has to reach the disk.
        connection.execute("PRAGMA synchronous=OFF")
        connection.set_trace_callback(count)
        return connection

    connecting.connect = opened
    schema.upgrade(path)
    return told


def in_a_child(*arguments):
    child = os.fork()
    if child == 0:
        upgrade(*arguments)
        os._exit(0)
    return os.waitpid(child, 0)[1]


def attempt(killed_at):
    path = Path(shutil.copyfile(source, source.with_name(f"killed-{killed_at}.db")))
    ended = in_a_child(path, killed_at)
    left = dump(path)
    again = in_a_child(path)
    return [ended, left == before, again, dump(path)["alembic_version"][0]["version_num"]]


before = dump(source)
last = upgrade(Path(shutil.copyfile(source, source.with_name("whole.db")))).index("COMMIT") + 1
print(json.dumps([attempt(number) for number in (*range(1, last, 5), last)]))
"""


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


@pytest.mark.parametrize("start", ["full", "empty", "first"])
def test_an_upgrade_killed_at_any_statement_leaves_the_file_as_it_was(
    start: str, db_path: Path, tmp_path: Path
) -> None:
    source = db_path
    if start == "full":
        full(source)
        copy, newest = with_revision(tmp_path / "alembic", REBUILD), "0999"
    elif start == "first":
        full(source)
        schema.downgrade(source, sql.REVISIONS[0])
        copy, newest = schema.script_location(), sql.REVISIONS[-1]
    else:
        source, copy, newest = tmp_path / "empty.db", schema.script_location(), sql.REVISIONS[-1]
        source.touch()
    command = [sys.executable, "-c", KILL, str(copy), str(source), str(Path(__file__).parents[1])]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stderr == ""
    found = json.loads(done.stdout)
    assert len(found) > 5
    # Killed, everything as before, upgraded at the second try; a leftover table would make a difference.
    assert found == [[signal.SIGKILL, True, 0, newest]] * len(found)
