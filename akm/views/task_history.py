"""The history of tasks as people ask for it. A row whose process is gone reads as interrupted, and stays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from akm import states
from akm.store import sql, task_history
from akm.store.database import Database
from akm.store.task_history import NO_LIMIT, Filters
from akm.views import history_metadata
from akm.views.history_metadata import Damaged, Metadata, Warned

__all__ = ["Filters", "Reader", "completed_intervals", "latest", "prunable", "query", "runs"]

#: How an open row reads whose process is gone. No row has it.
INTERRUPTED: Final = "interrupted"
IMPROVE_TASK: Final = "akm-improve"
DEFAULT_LIMIT: Final = 50


@dataclass(frozen=True, slots=True)
class Reader:
    """What decoding needs from outside.

    `is_alive(pid, process_started_at)` tells of processes of this `host` alone. `warned` says each warning
    once for as long as the reader is used.
    """

    is_alive: Callable[[int, int | None], bool]
    host: str
    warned: Warned


def latest(db: Database, task_id: str, reader: Reader) -> dict[str, Any] | None:
    """Read a task's newest attempt; None when there is none, or it is damaged."""
    found = runs(db, task_id, reader, limit=1)
    return found[0] if found else None


def runs(db: Database, task_id: str, reader: Reader, *, limit: int = DEFAULT_LIMIT) -> list[dict[str, Any]]:
    """Read a task's newest attempts, newest first."""
    return query(db, Filters(task_id=task_id, limit=limit), reader)


def query(db: Database, filters: Filters, reader: Reader) -> list[dict[str, Any]]:
    """Read the newest matching attempts, newest first. An empty text is a filter that is not given.

    Both times are inclusive. Kinds and refs are compared as they were stored. The status is compared with
    what is shown, so that `active` leaves out what is interrupted. A row that names no bundle is of every
    one. Damaged rows are warned of and left out.
    """
    wanted = _without_empty(filters)
    status = wanted.status
    if status in (states.ACTIVE, INTERRUPTED):
        # Only reading tells these apart, so the limit has to wait for it.
        wanted = wanted._replace(status=states.ACTIVE, limit=NO_LIMIT)
    with db.read() as tx:
        rows = task_history.newest(tx, wanted)
    shown = [one for row in rows if (one := _decoded(row, reader)) and status in (None, one["status"])]
    return shown if filters.limit < 0 else shown[: filters.limit]


def completed_intervals(
    db: Database, since: str, before: str | None = None, *, task_id: str = IMPROVE_TASK
) -> list[dict[str, Any]]:
    """Read when a task's closed attempts ran, oldest first; those that started at `before` are left out."""
    with db.read() as tx:
        rows = task_history.intervals(tx, task_id, since, before or None)
    return [{"startedAt": row.started_at, "completedAt": row.completed_at} for row in rows]


def prunable(db: Database, *, older_than: str) -> int:
    """Count the attempts that pruning with the same bound deletes."""
    with db.read() as tx:
        return task_history.prunable(tx, older_than)


def _without_empty(asked: Filters) -> Filters:
    return Filters(
        task_id=asked.task_id or None,
        since=asked.since or None,
        until=asked.until or None,
        status=asked.status or None,
        target_kind=asked.target_kind or None,
        target_ref=asked.target_ref or None,
        bundle=asked.bundle or None,
        limit=asked.limit,
    )


def _decoded(row: sql.TaskRow, reader: Reader) -> dict[str, Any] | None:
    try:
        metadata = history_metadata.decode(row.metadata_json, reader.warned)
    except Damaged as damage:
        reader.warned.say(
            f"The attempt of task {row.task_id} of {row.started_at} is left out, "
            f"because its metadata is damaged: {damage}."
        )
        return None
    return _attempt(row, metadata, reader)


def _attempt(row: sql.TaskRow, metadata: Metadata, reader: Reader) -> dict[str, Any]:
    is_open = row.status == states.ACTIVE and row.completed_at is None
    is_lost = is_open and _is_gone(metadata, reader)
    shown: dict[str, Any] = {
        "id": row.task_id,
        "status": INTERRUPTED if is_lost else row.status,
        "startedAt": row.started_at,
        "finishedAt": row.completed_at or row.failed_at or row.started_at,
        "durationMs": metadata.duration_ms,
        "log": row.log_path or "",
        "target": history_metadata.target(row.target_kind, row.target_ref, metadata),
    }
    if row.bundle is not None:
        shown["bundle"] = row.bundle
    if metadata.detail is not None:
        shown["detail"] = dict(metadata.detail)
    if is_open:
        # Else nothing would tell a reservation from a workflow that stopped where it can go on.
        shown["open"] = True
    return shown


def _is_gone(metadata: Metadata, reader: Reader) -> bool:
    """Tell whether the holder is known to be gone; of other hosts nothing is known."""
    holder = metadata.holder
    if holder is None or holder.host != reader.host:
        return False
    return not reader.is_alive(holder.pid, holder.process_started_at)
