"""Every service, made to fail at each of its statements in turn, leaves the ledger as it was."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

import campaign
import pytest
from builders import dump
from service_calls import CALLS, public_services

from akm.errors import AkmError
from akm.store.database import Database


class Failing:
    """A connection whose n-th statement fails as a disk does; what comes after it works."""

    def __init__(self, connection: sqlite3.Connection, fails_at: int) -> None:
        self._connection = connection
        self._left = fails_at
        self.failed_at: str | None = None

    def execute(self, text: str, *values: Any) -> sqlite3.Cursor:
        self._left -= 1
        if self._left == 0:
            self.failed_at = text
            error = sqlite3.OperationalError("disk I/O error")
            error.sqlite_errorcode = sqlite3.SQLITE_IOERR
            raise error
        return self._connection.execute(text, *values)

    def executemany(self, text: str, rows: Iterable[Any]) -> SimpleNamespace:
        """Run row by row, so that a batch can fail in its middle."""
        return SimpleNamespace(rowcount=sum(self.execute(text, row).rowcount for row in rows))

    @property
    def in_transaction(self) -> bool:
        return self._connection.in_transaction


def test_every_service_is_in_the_registry() -> None:
    assert public_services() == {name.partition(" ")[0] for name in CALLS}


@pytest.mark.parametrize("name", CALLS)
def test_a_service_that_fails_at_any_statement_changes_nothing(db: Database, name: str) -> None:
    call = CALLS[name]
    value = call.prepare(db)
    before = dump(db)
    failed: list[str] = []
    for fails_at in range(1, 100):
        failing = Failing(db.connection, fails_at)
        try:
            answer = call.act(Database(failing, db.path), value)  # type: ignore[arg-type]
        except AkmError as error:
            answer = error.code
        if failing.failed_at is None:
            break
        # Only the service whose whole promise is to go on may swallow the failure.
        assert answer == ("DATABASE_UNUSABLE" if name != "events.try_record" else False)
        failed.append(failing.failed_at)
        campaign.inject("statement")
        assert not db.connection.in_transaction
        assert dump(db) == before, failing.failed_at
    assert failed[0] == "BEGIN IMMEDIATE"
    assert failed[-1] == "COMMIT"
    assert len(failed) >= 3
    assert dump(db) != before
