"""Fires that did not happen, in the history. When a fire counts as missed is not decided here."""

from __future__ import annotations

from akm import clock
from akm.store.database import Database
from akm.tasks.execution import running
from akm.tasks.firing.due import Due


def record(db: Database, one: Due, *, at: str) -> bool:
    """Write down that a fire was missed, once; False when the task has a row of that moment.

    A task of the same id in another bundle may have the row of that millisecond; then the next one is taken.
    """
    from akm.services import task_history

    task = one.task
    ended = task_history.Ended(
        status=task_history.MISSED,
        completed_at=at,
        duration_ms=0,
        target_kind=task.target.kind,
        detail={"reason": task_history.MISSED},
        bundle=task.owner,
    )
    moment = clock.stamp(one.fire.timestamp())
    while not task_history.record(db, task.id, moment, ended):
        if running.attempts(db, running.of(task, since=moment, until=moment)):
            return False
        moment = clock.stamp(clock.seconds(moment) + 0.001)
    return True
