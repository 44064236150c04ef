"""Making again what can be made from the journal of attempts."""

from __future__ import annotations

from typing import NamedTuple

from akm.store import health
from akm.store.database import Database


class Rebuilt(NamedTuple):
    """How many rows of units were deleted, because no attempt is theirs, and how many were written."""

    deleted: int
    written: int


def rebuild_units(db: Database) -> Rebuilt:
    """Make every unit's row say what its latest attempt says; rows that do already are left alone."""
    with db.immediate() as tx:
        return Rebuilt(health.drop_stray_units(tx), health.project_units(tx))
