"""Pruning the ledger in small transactions, while others drive runs in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from akm.engine import lock
from akm.engine.care import locks
from akm.services import pruning, task_history
from akm.services.pruning import Pruned
from akm.store import space
from akm.store.database import Database
from akm.views import pruning as view
from akm.views import task_history as history_view
from akm.views.pruning import Prunable, Rule, Tree

__all__ = ["Rule", "Wish", "preview", "prune"]

#: Until a transaction has so many runs or attempts, another tree is put into it.
RUNS_AT_ONCE, ATTEMPTS_AT_ONCE = 100, 2000


class Wish(NamedTuple):
    """What goes besides runs, each older than the rule's time: task history, and events of no run.

    `vacuum`: the file is to be written anew, so that it gets smaller.
    """

    history: bool = False
    events: bool = False
    vacuum: bool = False


def preview(db: Database, rule: Rule, wish: Wish) -> dict[str, Any]:
    """Say what `prune` would delete, as {runs, tables: {name: rows}, bytes, freeBytes, bytesFreed: None}."""
    chosen = _chosen(db, rule)
    tables = view.rows(db, chosen.trees, _events_before(rule, wish))
    if wish.history and rule.older_than is not None:
        tables["task_history"] = history_view.prunable(db, older_than=rule.older_than)
    return _report(db, tables, None)


def prune(db: Database, rule: Rule, wish: Wish) -> dict[str, Any]:
    """Delete what a rule selects and return {runs, tables: {name: rows}, bytes, freeBytes, bytesFreed}.

    Each transaction holds some whole trees, so that writers wait for moments only; what an interruption
    leaves is for the next call. `bytesFreed` counts the bytes that became free, in the file or on the disk.
    Raises TransientError RUN_LEASE_HELD before anything is deleted when `wish.vacuum` and a run is being
    driven.
    """
    if wish.vacuum:
        # Writing the file anew would hold their drivers up.
        locks.refuse_drivers(lock.folder(db.path), "nothing was deleted")
    before = space.measure(db)
    tables = _runs(db, _chosen(db, rule))._asdict()
    tables["events"] = _events(db, _events_before(rule, wish))
    if wish.history and rule.older_than is not None:
        tables["task_history"] = task_history.prune(db, older_than=rule.older_than)
    if wish.vacuum:
        space.shrink(db)
    return _report(db, tables, before)


def _chosen(db: Database, rule: Rule) -> Prunable:
    return view.select(db, rule, locks.driven(lock.folder(db.path)))


def _events_before(rule: Rule, wish: Wish) -> str | None:
    return rule.older_than if wish.events else None


def _runs(db: Database, chosen: Prunable) -> Pruned:
    folder = lock.folder(db.path)
    total = Pruned()
    for trees in _batches(chosen):
        # Asked again: whoever drives a run has its lock before it changes the row.
        driven = lock.driven(folder, [run.id for tree in trees for run in tree])
        free = [tree for tree in trees if driven.isdisjoint(run.id for run in tree)]
        deleted = pruning.prune_runs(db, free)
        total = Pruned(*map(sum, zip(total, deleted.rows, strict=True)))
        locks.discard(folder, deleted.run_ids)
    return total


def _batches(chosen: Prunable) -> Iterator[Sequence[Tree]]:
    batch: list[Tree] = []
    runs = attempts = 0
    for tree in chosen.trees:
        batch.append(tree)
        runs += len(tree)
        attempts += sum(chosen.attempts.get(run.id, 0) for run in tree)
        if runs >= RUNS_AT_ONCE or attempts >= ATTEMPTS_AT_ONCE:
            yield batch
            batch, runs, attempts = [], 0, 0
    if batch:
        yield batch


def _events(db: Database, older_than: str | None) -> int:
    deleted, swept = 0, pruning.Swept(0, 0, False)
    while not swept.is_last:
        swept = pruning.sweep_events(db, after=swept.through, older_than=older_than)
        deleted += swept.deleted
    return deleted


def _report(db: Database, tables: dict[str, int], before: space.Space | None) -> dict[str, Any]:
    now = space.measure(db)
    freed = None if before is None else max(0, before.used - now.used)
    return {
        "path": str(db.path),
        "runs": tables["workflow_runs"],
        "tables": tables,
        "bytes": now.bytes,
        "freeBytes": now.free,
        "bytesFreed": freed,
    }
