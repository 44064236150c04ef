"""Waiting for the write lock of others, and a clear word when it cannot be had."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from builders import AT, dump, rows

from akm.errors import ConfigError, TransientError
from akm.store import events, transaction
from akm.store.database import Database
from akm.store.opening import open_database

HOLD = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
connection.execute("INSERT INTO events (event_type, ts) VALUES ('held', 't')")
print("held", flush=True)
sys.stdin.readline()
connection.execute("COMMIT")
print("released", flush=True)
"""


@contextmanager
def held(path: Path) -> Iterator[subprocess.Popen[str]]:
    """Hold the write lock in another process until it is told to go on, or until the block ends."""
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.communicate()


class Interposed:
    """A connection on which `instead` is called with each statement, and may raise."""

    def __init__(self, connection: sqlite3.Connection, instead: Any) -> None:
        self._connection = connection
        self._instead = instead

    def execute(self, text: str, *values: Any) -> sqlite3.Cursor:
        self._instead(text)
        return self._connection.execute(text, *values)

    def executemany(self, text: str, rows: Any) -> sqlite3.Cursor:
        self._instead(text)
        return self._connection.executemany(text, rows)

    @property
    def in_transaction(self) -> bool:
        return self._connection.in_transaction


def add_event(db: Database) -> None:
    with db.immediate() as tx:
        events.append(tx, "tried", at=AT, ref=None, metadata={})


def test_a_waiting_writer_goes_on_when_the_lock_is_released(db: Database) -> None:
    with held(db.path) as holder:
        waited: list[str] = []

        def release(text: str) -> None:
            # The holder lets go only once this connection has begun to ask.
            if text == "BEGIN IMMEDIATE" and not waited:
                waited.append(text)
                assert holder.stdin is not None
                holder.stdin.write("\n")
                holder.stdin.flush()

        add_event(Database(Interposed(db.connection, release), db.path))  # type: ignore[arg-type]
        assert waited
    assert [event["event_type"] for event in dump(db)["events"]] == ["held", "tried"]


def test_a_lock_that_is_not_released_is_one_error_that_names_the_holder(db_path: Path) -> None:
    with open_database(db_path, synchronous="normal", busy_seconds=0) as db, held(db_path) as holder:
        with pytest.raises(TransientError) as refused:
            add_event(db)
        assert (refused.value.code, refused.value.exit_status) == ("STATE_DB_CONTENDED", 75)
        assert f"process {holder.pid} (" in refused.value.message
        assert "locked" not in refused.value.message
        assert rows(db, "SELECT 1 FROM events") == []


@pytest.mark.parametrize(
    ("code", "tries"),
    [
        (sqlite3.SQLITE_BUSY, 5),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, 5),
        (sqlite3.SQLITE_LOCKED, 5),
        (sqlite3.SQLITE_IOERR, 1),
    ],
)
def test_contention_is_told_by_its_code_and_tried_five_times(db: Database, code: int, tries: int) -> None:
    asked: list[str] = []

    def refuse(text: str) -> None:
        asked.append(text)
        error = sqlite3.OperationalError("database is locked" if tries == 1 else "words of some kind")
        error.sqlite_errorcode = code
        raise error

    refusing = Database(Interposed(db.connection, refuse), db.path)  # type: ignore[arg-type]
    with pytest.raises(TransientError if tries == 5 else ConfigError):
        add_event(refusing)
    assert asked == ["BEGIN IMMEDIATE"] * tries


def test_the_busy_time_is_waited_for_once_and_not_at_every_try(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = [100.0]
    monkeypatch.setattr(transaction.time, "monotonic", lambda: seconds[0])
    asked: list[str] = []

    def refuse(text: str) -> None:
        asked.append(text)
        # As SQLite does it: the statement itself waits for as long as it was told to.
        seconds[0] += 31
        error = sqlite3.OperationalError("words")
        error.sqlite_errorcode = sqlite3.SQLITE_BUSY
        raise error

    with pytest.raises(TransientError):
        add_event(Database(Interposed(db.connection, refuse), db.path, busy_seconds=30))  # type: ignore[arg-type]
    assert asked == ["BEGIN IMMEDIATE"]


def test_an_error_of_the_body_is_never_tried_again(db: Database) -> None:
    asked: list[str] = []

    def refuse(text: str) -> None:
        asked.append(text)
        if text.startswith("INSERT"):
            error = sqlite3.OperationalError("words")
            error.sqlite_errorcode = sqlite3.SQLITE_BUSY
            raise error

    with pytest.raises(TransientError):
        add_event(Database(Interposed(db.connection, refuse), db.path))  # type: ignore[arg-type]
    assert [text.split()[0] for text in asked] == ["BEGIN", "INSERT", "ROLLBACK"]
