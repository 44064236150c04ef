"""Immediate transactions: one act, all of it or nothing, and a clear word when the lock cannot be had."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import racing_acts
from builders import AT, a_wanted, dump, publish, rows
from racing import Racers

from akm.errors import AkmError, ConfigError, TransientError
from akm.services import attempts
from akm.store import events
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

    @property
    def in_transaction(self) -> bool:
        return self._connection.in_transaction


def add_event(db: Database) -> None:
    with db.immediate() as tx:
        events.append(tx, "tried", at=AT, ref=None, metadata={})


def test_a_block_commits_at_its_end(db: Database) -> None:
    add_event(db)
    assert not db.connection.in_transaction
    assert len(dump(db.path)["events"]) == 1


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, SystemExit, GeneratorExit])
def test_whatever_is_raised_inside_takes_the_block_back(db: Database, error: type[BaseException]) -> None:
    before = dump(db)
    with pytest.raises(error), db.immediate() as tx:
        events.append(tx, "tried", at=AT, ref=None, metadata={})
        raise error
    assert not db.connection.in_transaction
    assert dump(db) == before
    add_event(db)


def test_a_block_inside_another_is_refused_and_takes_both_back(db: Database) -> None:
    before = dump(db)
    with pytest.raises(AkmError, match="inside another one"), db.immediate() as tx:
        events.append(tx, "tried", at=AT, ref=None, metadata={})
        add_event(db)
    assert dump(db) == before
    with pytest.raises(AkmError, match="inside another one"), db.read():
        add_event(db)
    add_event(db)


def test_a_transaction_that_disappeared_fails_loudly(db: Database) -> None:
    with pytest.raises(AkmError, match="ended before its work did"), db.immediate():
        db.connection.execute("ROLLBACK")
    add_event(db)


def test_a_constraint_that_refuses_becomes_an_error_of_akm(db: Database) -> None:
    run_id = publish(db)
    before = dump(db)
    with pytest.raises(AkmError) as raised:
        attempts.reserve(db, run_id, a_wanted(phase="odd"), at=AT)
    assert type(raised.value) is AkmError
    assert isinstance(raised.value.__cause__, sqlite3.IntegrityError)
    assert dump(db) == before


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


def test_a_writer_that_read_before_others_wrote_is_not_refused(db: Database) -> None:
    with open_database(db.path, synchronous="normal") as other:
        with db.read() as tx:
            assert events.last_id(tx) == 0
        add_event(other)
        add_event(db)
    assert len(rows(db, "SELECT 1 FROM events")) == 2


def test_a_snapshot_does_not_move_while_others_write(db: Database) -> None:
    with open_database(db.path, synchronous="normal") as other, db.read() as tx:
        assert events.last_id(tx) == 0
        add_event(other)
        assert events.last_id(tx) == 0
    with db.read() as tx:
        assert events.last_id(tx) == 1


def test_three_racing_writers_lose_nothing(db_path: Path) -> None:
    with Racers(3) as three:
        assert three.race(db_path, racing_acts.add_many, 100) == [None] * 3
    times = [event["ts"] for event in dump(db_path)["events"]]
    assert times == [f"{number:06d}" for number in range(1, 301)]
