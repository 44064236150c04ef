"""Every column of the ledger that holds a bundle's name, counted and moved together.

Frozen plans and other JSON are left as they were written: nothing is looked up by a ref in them.
"""

from __future__ import annotations

from typing import NamedTuple

from akm.store import events, runs, task_history
from akm.store.database import Transaction


class Counts(NamedTuple):
    """How many rows of each table name a bundle."""

    task_history: int
    workflow_runs: int
    events: int


def count(tx: Transaction, bundle: str) -> Counts:
    """Count what `move` would move."""
    return Counts(
        task_history.targets_of(tx, bundle), runs.of_bundle(tx, bundle), events.of_bundle(tx, bundle)
    )


def move(tx: Transaction, old: str, new: str) -> Counts:
    """Let every ref of the bundle `old`, exact in case, name the bundle `new`."""
    return Counts(
        task_history.rename_targets(tx, old, new),
        runs.rename_refs(tx, old, new),
        events.rename_refs(tx, old, new),
    )
