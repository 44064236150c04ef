"""Which runs are old enough to be deleted, and how many rows that would be."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from akm import states
from akm.store import pruning
from akm.store.database import Database
from akm.store.sql import AgedRun

OVER = (states.COMPLETED, states.FAILED)
Tree = tuple[AgedRun, ...]


class Rule(NamedTuple):
    """Which runs go: those last changed before `older_than`, and not among the `keep_last` newest.

    The newest are counted among the finished runs of one workflow in one scope. None sets no such condition.
    """

    older_than: str | None
    keep_last: int | None


class Prunable(NamedTuple):
    """The trees that a rule selects, each root first, and the attempts of every run."""

    trees: tuple[Tree, ...]
    attempts: dict[str, int]


def select(db: Database, rule: Rule, driven: Collection[str]) -> Prunable:
    """Select what a rule prunes: whole trees of which every run is over and none is in `driven`."""
    with db.read() as tx:
        found, attempts = pruning.runs(tx), pruning.attempts_per_run(tx)
    over = [tree for tree in _trees(found) if _is_over(tree, driven)]
    kept = _newest(over, rule.keep_last or 0)
    bound = rule.older_than
    old = [tree for tree in over if tree[0].id not in kept and (bound is None or _changed_at(tree) < bound)]
    return Prunable(tuple(old), attempts)


def rows(db: Database, trees: Sequence[Tree], events_before: str | None) -> dict[str, int]:
    """Count by table what pruning these trees deletes, events of runs that are gone already included."""
    ids = [run.id for tree in trees for run in tree]
    with db.read() as tx:
        return {**pruning.count(tx, ids)._asdict(), "events": pruning.events_left(tx, ids, events_before)}


def _trees(found: Iterable[AgedRun]) -> Iterator[Tree]:
    known = {run.id: run for run in found}
    children: dict[str | None, list[AgedRun]] = defaultdict(list)
    for run in known.values():
        # A parent that is gone makes its child the top of a tree.
        children[run.parent_run_id if run.parent_run_id in known else None].append(run)
    for root in children[None]:
        tree = [root]
        for run in tree:
            tree.extend(children[run.id])
        yield tuple(tree)


def _is_over(tree: Tree, driven: Collection[str]) -> bool:
    return all(run.status in OVER and run.id not in driven for run in tree)


def _newest(over: Iterable[Tree], count: int) -> set[str]:
    """Name the roots of the `count` newest trees of each workflow in each scope."""
    alike: dict[tuple[str, str | None], list[Tree]] = defaultdict(list)
    for tree in over:
        alike[tree[0].workflow_ref, tree[0].scope_key].append(tree)
    ordered = (sorted(trees, key=_age, reverse=True)[:count] for trees in alike.values())
    return {tree[0].id for trees in ordered for tree in trees}


def _age(tree: Tree) -> tuple[str, str, str]:
    return _changed_at(tree), tree[0].created_at, tree[0].id


def _changed_at(tree: Tree) -> str:
    return max(max(run.updated_at, run.completed_at or "") for run in tree)
