"""Deleting old runs, a tree of parent and children whole or not at all, and what events are left of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from akm.store import pruning
from akm.store.database import Database, Transaction
from akm.store.pruning import Pruned
from akm.store.sql import AgedRun

__all__ = ["Deleted", "Pruned", "Swept", "prune_runs", "sweep_events"]

Tree = tuple[AgedRun, ...]


class Deleted(NamedTuple):
    """The runs that were deleted, and how many rows that were by table."""

    run_ids: tuple[str, ...]
    rows: Pruned


class Swept(NamedTuple):
    """How many events a sweep deleted. `through` is the last id it saw; `is_last`: there were no more."""

    through: int
    deleted: int
    is_last: bool


def prune_runs(db: Database, trees: Sequence[Tree]) -> Deleted:
    """Delete the trees that are still exactly as they were read, with steps, units and attempts.

    A tree that has changed since (resumed, deleted, another child) stays. Their events are left to
    `sweep_events`.
    """
    with db.immediate() as tx:
        run_ids = tuple(run.id for tree in _unchanged(tx, trees) for run in tree)
        return Deleted(run_ids, pruning.delete(tx, run_ids))


def sweep_events(db: Database, *, after: int = 0, older_than: str | None = None) -> Swept:
    """Delete, of the next events behind the id `after`, those whose run is gone.

    Events that belong to no run go when they are older than the timestamp `older_than`; None keeps them.
    """
    with db.immediate() as tx:
        through, is_last = pruning.next_events(tx, after)
        return Swept(through, pruning.sweep(tx, after, through, older_than), is_last)


def _unchanged(tx: Transaction, trees: Sequence[Tree]) -> list[Tree]:
    known = {run for tree in trees for run in tree}
    found = set(pruning.family(tx, [run.id for run in known]))
    grown = {run.parent_run_id for run in found - known}
    return [tree for tree in trees if found.issuperset(tree) and grown.isdisjoint(run.id for run in tree)]
