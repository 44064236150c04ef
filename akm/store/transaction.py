"""Transactions on one connection: how they begin while others write, and end whole or not at all."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Final, TypeVar

from akm.errors import AkmError, TransientError, UsageError
from akm.store import lock_holder
from akm.store.connect import is_contention, translate
from akm.store.statement import Change, Query, Value

Row = TypeVar("Row", bound=tuple)  # type: ignore[type-arg]

BEGINS: Final = 5
PAUSES: Final = (0.001, 0.002, 0.004, 0.008)
_NO_TEXT: Final = "Something given is no UTF-8 text, and {path} holds nothing else: write it in UTF-8."


class Transaction:
    """Runs statements inside the open transaction."""

    __slots__ = ("_execute", "_execute_many")

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._execute = connection.execute
        self._execute_many = connection.executemany

    def one(self, query: Query[Row], **params: Value) -> Row | None:
        """Return the first row, or None when there is none."""
        found = self._execute(query.text, query.pick(params)).fetchone()
        return None if found is None else tuple.__new__(query.row, found)

    def all(self, query: Query[Row], **params: Value) -> list[Row]:
        """Return every row."""
        found = self._execute(query.text, query.pick(params)).fetchall()
        # A row has just the columns that its type names: nothing is to be checked.
        return list(map(partial(tuple.__new__, query.row), found))

    def run(self, change: Change, **params: Value) -> int:
        """Write, and return how many rows changed."""
        return self._execute(change.text, change.pick(params)).rowcount

    def run_each(self, change: Change, rows: Sequence[Mapping[str, Value]]) -> int:
        """Write once per row of parameters, and return how many rows changed in all."""
        # The driver prepares a statement anew for a batch, which a single row does not pay back.
        if len(rows) == 1:
            return self._execute(change.text, change.pick(rows[0])).rowcount
        return self._execute_many(change.text, map(change.pick, rows)).rowcount


class Open:
    """Which block of a connection is open, and whose it is: shared by all of the connection's blocks."""

    __slots__ = ("is_open", "pid")

    def __init__(self) -> None:
        self.is_open = False
        self.pid = os.getpid()


class Block:
    """A `with` block over a transaction: committed at its end, rolled back on error.

    `begin` is the statement that begins it. It can be entered again and again, and never inside another
    block of the same connection.
    """

    __slots__ = ("_begin", "_busy_seconds", "_connection", "_execute", "_open", "_path", "_transaction")

    def __init__(
        self, connection: sqlite3.Connection, path: Path, begin: str, busy_seconds: float, state: Open
    ) -> None:
        self._connection = connection
        self._execute = connection.execute
        self._path = path
        self._begin = begin
        self._busy_seconds = busy_seconds
        self._open = state
        self._transaction = Transaction(connection)

    def __enter__(self) -> Transaction:
        if self._open.is_open:
            raise AkmError("A transaction was opened inside another one; services do not call services.")
        # SQLite's locks belong to the process: those that a forked child believes to have are its parent's.
        if self._open.pid != os.getpid():
            raise AkmError(
                f"The database {self._path} was opened by another process; open it again in this one."
            )
        started = time.monotonic()
        try:
            self._execute(self._begin)
        except sqlite3.Error as error:
            self._begin_again(error, started + self._busy_seconds)
        self._open.is_open = True
        return self._transaction

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._open.is_open = False
        if error is not None:
            self._roll_back()
            if isinstance(error, sqlite3.Error) and getattr(error, "sqlite_errorcode", None) is not None:
                raise self._translated(error) from error
            if isinstance(error, UnicodeEncodeError):
                raise UsageError(_NO_TEXT.format(path=self._path)) from error
        else:
            self._commit()

    def _commit(self) -> None:
        if not self._connection.in_transaction:
            raise AkmError("The transaction ended before its work did; nothing of it was kept.")
        try:
            self._execute("COMMIT")
        except sqlite3.Error as refused:
            self._roll_back()
            raise self._translated(refused) from refused

    def _begin_again(self, error: sqlite3.Error, deadline: float) -> None:
        """Try again while the error is somebody's lock, at most `BEGINS` times and the busy time in all."""
        for pause in PAUSES:
            if not is_contention(error) or time.monotonic() > deadline:
                break
            time.sleep(pause)
            try:
                self._execute(self._begin)
            except sqlite3.Error as again:
                error = again
            else:
                return
        raise self._translated(error) from error

    def _translated(self, error: sqlite3.Error) -> AkmError:
        if not is_contention(error):
            return translate(error, self._path)
        holder = lock_holder.describe(self._path)
        return TransientError(f"The database {self._path} is held by {holder}.", code="STATE_DB_CONTENDED")

    def _roll_back(self) -> None:
        if self._connection.in_transaction:
            try:
                self._execute("ROLLBACK")
            except sqlite3.Error:
                # SQLite has rolled back by itself (a full disk, an I/O error): nothing is left to undo.
                return
