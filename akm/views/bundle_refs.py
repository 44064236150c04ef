"""What in the ledger names a bundle."""

from __future__ import annotations

from akm.store import bundle_refs, runs
from akm.store.bundle_refs import Counts
from akm.store.database import Database

__all__ = ["Counts", "active_runs", "counts"]


def counts(db: Database, bundle: str) -> Counts:
    """Count the rows that a rename of `bundle` changes."""
    with db.read() as tx:
        return bundle_refs.count(tx, bundle)


def active_runs(db: Database, bundle: str) -> list[str]:
    """List the ids of the bundle's active runs."""
    with db.read() as tx:
        return runs.active_of_bundle(tx, bundle)
