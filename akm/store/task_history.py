"""Rows of `task_history`. What their metadata means is for services to write and for views to read."""

from __future__ import annotations

from typing import NamedTuple

from akm import clock
from akm.ref_grammar import bundle_range
from akm.store import sql
from akm.store.database import Transaction

#: Below and above every timestamp.
EARLIEST, LATEST = "", "~"
NO_LIMIT = -1


class Ending(NamedTuple):
    """The columns that the end of an attempt fills in."""

    status: str
    completed_at: str
    failed_at: str | None
    log_path: str | None
    target_kind: str | None
    target_ref: str | None
    metadata_json: str


class Filters(NamedTuple):
    """Filters joined by AND; None is any. Both times are inclusive.

    `bundle` is the owner of the task as its rows name it; rows that name none match every one.
    """

    task_id: str | None = None
    since: str | None = None
    until: str | None = None
    status: str | None = None
    target_kind: str | None = None
    target_ref: str | None = None
    bundle: str | None = None
    limit: int = NO_LIMIT


def reserve(tx: Transaction, task_id: str, at: str, metadata_json: str, bundle: str | None) -> str:
    """Insert an open row at the first millisecond from `at` on that the task has free; returns that time."""
    started_at = at
    row = {"task_id": task_id, "metadata_json": metadata_json, "bundle": bundle}
    while tx.run(sql.TASK_RESERVE, started_at=started_at, **row) != 1:
        started_at = clock.stamp(clock.seconds(started_at) + 0.001)
    return started_at


def finalize(tx: Transaction, task_id: str, started_at: str, ending: Ending) -> bool:
    """End an open row; False when it is no longer open, or was never there."""
    return tx.run(sql.TASK_FINALIZE, task_id=task_id, started_at=started_at, **ending._asdict()) == 1


def record(tx: Transaction, task_id: str, started_at: str, ending: Ending, bundle: str | None) -> bool:
    """Insert an ended row; False when the task has one of this start, which stays as it is."""
    row = {"task_id": task_id, "started_at": started_at, "bundle": bundle}
    return tx.run(sql.TASK_RECORD, **row, **ending._asdict()) == 1


def newest(tx: Transaction, filters: Filters) -> list[sql.TaskRow]:
    """Read the newest matching rows, newest first."""
    query = sql.TASKS_ANY
    if filters.task_id is not None:
        query = sql.TASKS_OF_ID
    elif filters.target_kind is not None and filters.target_ref is not None:
        query = sql.TASKS_OF_TARGET
    span = {"since": filters.since or EARLIEST, "until": filters.until or LATEST}
    return tx.all(query, **filters._asdict() | span)


def intervals(tx: Transaction, task_id: str, since: str, before: str | None) -> list[sql.TaskInterval]:
    """Read the spans of a task's closed rows that started at `since` or later and before `before`."""
    return tx.all(sql.TASK_INTERVALS, task_id=task_id, since=since, before=before or LATEST)


def prune(tx: Transaction, older_than: str) -> int:
    """Delete every row that started before `older_than` and is not open."""
    return tx.run(sql.TASKS_PRUNE, older_than=older_than)


def prunable(tx: Transaction, older_than: str) -> int:
    """Count what `prune` would delete."""
    return _count(tx.one(sql.TASKS_PRUNABLE, older_than=older_than))


def rename_targets(tx: Transaction, old: str, new: str) -> int:
    """Move every target ref of the bundle `old`, exact in case, and every attempt of its tasks to `new`."""
    first, end = bundle_range(old)
    values: dict[str, str | int] = {"first": first, "end": end, "old": old, "new": new, "tail": len(old) + 1}
    aimed = sum(tx.run(sql.TASKS_RENAME_TARGETS, target_kind=kind, **values) for kind in _kinds(tx))
    return aimed + tx.run(sql.TASKS_RENAME_OWNER, old=old, new=new)


def targets_of(tx: Transaction, bundle: str) -> int:
    """Count what `rename_targets` would move."""
    first, end = bundle_range(bundle)
    aimed = sum(
        _count(tx.one(sql.TASKS_OF_BUNDLE, target_kind=kind, first=first, end=end)) for kind in _kinds(tx)
    )
    return aimed + _count(tx.one(sql.TASKS_OWNED, old=bundle, first=first, end=end))


def _kinds(tx: Transaction) -> list[str | None]:
    """List every kind of target that may be stored, by one step in the index for each."""
    kinds: list[str | None] = [None, ""]
    while (row := tx.one(sql.TASK_NEXT_KIND, after=kinds[-1])) is not None:
        kinds.append(row.target_kind)
    return kinds


def _count(row: sql.TaskCount | None) -> int:
    return 0 if row is None else row.rows
