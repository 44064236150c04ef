"""The registry cache as something that may be missing: a database that is no use never stops a search."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from akm import config
from akm.errors import AkmError, ConfigError, TransientError
from akm.store.database import Database
from akm.store.opening import open_database

#: How long a lock of others is waited for: fetching again is cheaper than the ledger's patience.
BUSY_SECONDS = 0.25


@contextmanager
def opened(wanted: config.Database) -> Iterator[Database | None]:
    """Open the ledger for its cache, or give None when it cannot be used; close it at the block's end.

    A missing file is made. One of a newer akm can be read and refuses writes.
    """
    db = None
    with tolerated():
        db = open_database(wanted.path, synchronous=wanted.synchronous, busy_seconds=BUSY_SECONDS)
    try:
        yield db
    finally:
        if db is not None:
            with tolerated():
                db.close()


@contextmanager
def tolerated() -> Iterator[None]:
    """End the block early, and silently, when the database is no use; errors of ours come through."""
    try:
        yield
    except (AkmError, sqlite3.Error) as error:
        if not _is_of_the_database(error):
            raise


def _is_of_the_database(error: Exception) -> bool:
    """Tell what the file or its other users caused from a misuse of the driver or of akm."""
    if isinstance(error, ConfigError | TransientError):
        return True
    driver = error if isinstance(error, sqlite3.Error) else error.__cause__
    if isinstance(driver, UnicodeEncodeError):
        # Text with half a surrogate pair, which JSON may hold and SQLite may not.
        return True
    return isinstance(driver, sqlite3.Error) and not isinstance(driver, sqlite3.ProgrammingError)
