"""Immediate transactions: one act, all of it or nothing, and what others wrote is never lost."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
import racing_acts
from builders import AT, a_wanted, dump, publish, rows
from racing import Racers

from akm.errors import AkmError, UsageError
from akm.services import attempts
from akm.store import events
from akm.store.database import Database
from akm.store.opening import open_database


def add_event(db: Database, fails_with: type[BaseException] | None = None) -> None:
    with db.immediate() as tx:
        events.append(tx, "tried", at=AT, ref=None, metadata={})
        if fails_with is not None:
            raise fails_with


def test_a_block_commits_at_its_end(db: Database) -> None:
    add_event(db)
    assert not db.connection.in_transaction
    assert len(dump(db.path)["events"]) == 1


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, SystemExit, GeneratorExit])
def test_whatever_is_raised_inside_takes_the_block_back(db: Database, error: type[BaseException]) -> None:
    before = dump(db)
    with pytest.raises(error):
        add_event(db, error)
    assert not db.connection.in_transaction
    assert dump(db) == before
    add_event(db)


def test_a_block_inside_another_is_refused_and_takes_both_back(db: Database) -> None:
    before = dump(db)
    with pytest.raises(AkmError, match="inside another one"), db.immediate():
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


def test_bytes_that_are_no_text_are_refused_and_nothing_is_written(db: Database) -> None:
    before = dump(db)
    with pytest.raises(UsageError, match=r"no UTF-8 text.*\.$"), db.immediate() as tx:
        events.append_each(tx, "tried", at=AT, ref=None, metadata_json=["{}", '"caf\udce9"'])
    assert dump(db) == before
    add_event(db)
