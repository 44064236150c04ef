"""Fires that did not happen, in the history. When a fire counts as missed is not decided here."""

from __future__ import annotations

from akm import clock
from akm.store.database import Database
from akm.tasks.due import Due


def record(db: Database, one: Due, *, at: str) -> bool:
    """Write down that a fire was missed, once; False when the task has a row of that moment."""
    from akm.services import task_history

    ended = task_history.Ended(
        status=task_history.MISSED,
        completed_at=at,
        duration_ms=0,
        target_kind=one.task.target.kind,
        detail={"reason": task_history.MISSED},
    )
    return task_history.record(db, one.task.id, clock.stamp(one.fire.timestamp()), ended)
