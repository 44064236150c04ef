"""How much of the file is in use, and giving what is free back to the disk."""

from __future__ import annotations

import os
from typing import NamedTuple

from akm.store.connect import translated
from akm.store.database import Database


class Space(NamedTuple):
    """Bytes of the file as it is on the disk, and of the pages that hold something and nothing.

    The file may be behind what the pages add up to, until the log is merged into it.
    """

    bytes: int
    used: int
    free: int


def measure(db: Database) -> Space:
    """Measure the file at `db`."""
    with translated(db.path):
        size, pages, free = (
            int(db.connection.execute(f"PRAGMA {name}").fetchone()[0])
            for name in ("page_size", "page_count", "freelist_count")
        )
    return Space(os.stat(db.path).st_size, (pages - free) * size, free * size)


def shrink(db: Database) -> None:
    """Write the file anew without its free pages; others wait meanwhile, or this waits for them.

    Raises TransientError when somebody holds the file, or the disk has no room for a second one.
    """
    with translated(db.path):
        db.connection.execute("VACUUM")
        db.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
