"""Acts for `racing` that are no services; here, because other processes must be able to import them."""

from __future__ import annotations

from akm.store import events
from akm.store.database import Database


def add_many(db: Database, count: int) -> None:
    """Read a number and write one more, `count` times; a lost write leaves the sum short."""
    for _turn in range(count):
        with db.immediate() as tx:
            last = events.last_id(tx)
            events.append(tx, "counted", at=f"{last + 1:06d}", ref=None, metadata={})
