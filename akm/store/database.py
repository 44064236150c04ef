"""The open ledger: one connection of one thread, reads on a snapshot and writes in immediate transactions."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from akm.store import newer
from akm.store.connect import BUSY_SECONDS
from akm.store.transaction import Block, Open, Transaction

__all__ = ["Database", "Transaction"]


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
        self._newer_revision = newer_revision
        state = Open()
        self._immediate = Block(connection, path, "BEGIN IMMEDIATE", busy_seconds, state)
        self._read = Block(connection, path, "BEGIN", busy_seconds, state)

    @property
    def is_newer(self) -> bool:
        """Tell whether the file belongs to a newer akm and is therefore only read."""
        return self._newer_revision is not None

    def immediate(self) -> Block:
        """Open an immediate transaction for one act: committed at the block's end, rolled back on error.

        Raises TransientError STATE_DB_CONTENDED when the lock cannot be had, DATABASE_FULL when the disk
        is full, ConfigError when the file cannot be written; in each case nothing was written. A block
        inside another one on the same database is a programming error.
        """
        if self._newer_revision is not None:
            raise newer.refusal(self.path, self._newer_revision)
        return self._immediate

    def read(self) -> Block:
        """Open a snapshot for reading; nothing written by others appears before the block ends."""
        return self._read

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()
