"""The open ledger: one connection of one thread, reads on a snapshot and writes in immediate transactions."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Final, TypeVar

from akm.errors import AkmError, TransientError
from akm.store import lock_holder, newer
from akm.store.connect import BUSY_SECONDS, is_contention, translate
from akm.store.statement import Change, Query, Value

Row = TypeVar("Row", bound=tuple)  # type: ignore[type-arg]

BEGINS: Final = 5
PAUSES: Final = (0.001, 0.002, 0.004, 0.008)


class Transaction:
    """Runs statements inside the open transaction; handed out by `Database.immediate()` and `read()`."""

    __slots__ = ("_execute", "_execute_many")

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._execute = connection.execute
        self._execute_many = connection.executemany

    def one(self, query: Query[Row], **params: Value) -> Row | None:
        """Return the first row, or None when there is none."""
        found = self._execute(query.text, query.pick(params)).fetchone()
        return None if found is None else query.row(*found)

    def all(self, query: Query[Row], **params: Value) -> list[Row]:
        """Return every row."""
        return [query.row(*found) for found in self._execute(query.text, query.pick(params)).fetchall()]

    def run(self, change: Change, **params: Value) -> int:
        """Write, and return how many rows changed."""
        return self._execute(change.text, change.pick(params)).rowcount

    def run_each(self, change: Change, rows: Iterable[Mapping[str, Value]]) -> int:
        """Write once per row of parameters, and return how many rows changed in all."""
        return self._execute_many(change.text, map(change.pick, rows)).rowcount


class _Block:
    """One `with` block over a transaction; a database has one for writing and one for reading."""

    __slots__ = ("_begin", "_database", "_transaction")

    def __init__(self, database: Database, begin: str) -> None:
        self._database = database
        self._begin = begin
        self._transaction = Transaction(database.connection)

    def __enter__(self) -> Transaction:
        self._database._enter(self._begin)
        return self._transaction

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._database._leave(error)


class Database:
    """An open ledger. Use it from the thread that opened it; close it when done.

    `is_newer` tells that the file was written by a newer akm: then every write raises ConfigError
    DATABASE_NEWER and the file's bytes never change. `warnings` is for the person at the command.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        path: Path,
        *,
        busy_seconds: float = BUSY_SECONDS,
        newer_revision: str | None = None,
        warnings: tuple[str, ...] = (),
    ) -> None:
        self.connection = connection
        self.path = path
        self.warnings = warnings
        self._busy_seconds = busy_seconds
        self._newer_revision = newer_revision
        self._is_open = False
        self._immediate = _Block(self, "BEGIN IMMEDIATE")
        self._read = _Block(self, "BEGIN")

    @property
    def is_newer(self) -> bool:
        """Tell whether the file belongs to a newer akm and is therefore only read."""
        return self._newer_revision is not None

    def immediate(self) -> _Block:
        """Open an immediate transaction for one act: committed at the block's end, rolled back on error.

        Raises TransientError STATE_DB_CONTENDED when the lock cannot be had, DATABASE_FULL when the disk
        is full, ConfigError when the file cannot be written; in each case nothing was written. A block
        inside another one on the same database is a programming error.
        """
        if self._newer_revision is not None:
            raise newer.refusal(self.path, self._newer_revision)
        return self._immediate

    def read(self) -> _Block:
        """Open a snapshot for reading; nothing written by others appears before the block ends."""
        return self._read

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def _enter(self, begin: str) -> None:
        if self._is_open:
            raise AkmError("A transaction was opened inside another one; services do not call services.")
        started = time.monotonic()
        try:
            self.connection.execute(begin)
        except sqlite3.Error as error:
            self._begin_again(begin, error, started + self._busy_seconds)
        self._is_open = True

    def _begin_again(self, begin: str, error: sqlite3.Error, deadline: float) -> None:
        """Try again while the error is somebody's lock, at most `BEGINS` times and the busy time in all."""
        for pause in PAUSES:
            if not is_contention(error):
                raise translate(error, self.path) from error
            if time.monotonic() > deadline:
                break
            time.sleep(pause)
            try:
                self.connection.execute(begin)
            except sqlite3.Error as again:
                error = again
            else:
                return
        raise self._contended(error) from error

    def _contended(self, error: sqlite3.Error) -> AkmError:
        if not is_contention(error):
            return translate(error, self.path)
        holder = lock_holder.describe(self.path)
        return TransientError(f"The database {self.path} is held by {holder}.", code="STATE_DB_CONTENDED")

    def _leave(self, error: BaseException | None) -> None:
        self._is_open = False
        if error is None:
            self._commit()
            return
        self._roll_back()
        if isinstance(error, sqlite3.Error) and getattr(error, "sqlite_errorcode", None) is not None:
            raise self._contended(error) from error

    def _commit(self) -> None:
        if not self.connection.in_transaction:
            raise AkmError("The transaction ended before its work did; nothing of it was kept.")
        try:
            self.connection.execute("COMMIT")
        except sqlite3.Error as error:
            self._roll_back()
            raise self._contended(error) from error

    def _roll_back(self) -> None:
        if self.connection.in_transaction:
            try:
                self.connection.execute("ROLLBACK")
            except sqlite3.Error:
                # SQLite has rolled back by itself (a full disk, an I/O error): nothing is left to undo.
                return
