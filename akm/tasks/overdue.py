"""Which enabled tasks should have run and did not, by comparing their schedules with the history."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from akm import clock, states
from akm.store.database import Database
from akm.tasks import running, schedule
from akm.tasks.task import Task

#: How far back fires are compared, and how long a fire may take to show up in the history.
LOOK_BACK_SECONDS = 7 * 86_400
PATIENCE_SECONDS = 120
#: An attempt is reserved a moment after its fire, by another process with the same clock.
_SLACK_SECONDS = 1
#: How many attempts are looked through for one that was no missed fire.
_NEWEST = 50


@dataclass(frozen=True, slots=True)
class Overdue:
    """A task whose newest fire has no run. `count` fires have none, from `since` on."""

    ref: str
    since: str
    last: str
    count: int

    def shown(self, cause: str) -> dict[str, object]:
        """Shape this for the report."""
        return {"ref": self.ref, "since": self.since, "last": self.last, "count": self.count, "cause": cause}


def find(
    task: Task,
    last_run: str | None,
    now: float,
    *,
    known_since: float,
    fires: Callable[..., list[datetime]] = schedule.fires_between,
) -> Overdue | None:
    """Say which fires of a task have no run; None when the newest one has, or nothing was due.

    `known_since` is the moment before which the task may not have been enabled or as it is now.
    """
    start = max(known_since, now - LOOK_BACK_SECONDS)
    if last_run is not None:
        start = max(start, clock.seconds(last_run) + _SLACK_SECONDS)
    end = now - PATIENCE_SECONDS
    if start >= end:
        return None
    span = (datetime.fromtimestamp(start, UTC), datetime.fromtimestamp(end, UTC))
    found = sorted(fire.timestamp() for one in task.schedules for fire in fires(one.cron, *span))
    if not found:
        return None
    return Overdue(task.ref, clock.stamp(found[0]), clock.stamp(found[-1]), len(found))


def last_run(db: Database, task: Task) -> str | None:
    """Return when the task really ran last; what was missed is no run."""
    from akm.services.task_history import MISSED

    for row in running.attempts(db, running.of(task, limit=_NEWEST)):
        if row["status"] not in (MISSED, states.SKIPPED):
            return str(row["startedAt"])
    return None


def changed_at(*files: os.PathLike[str]) -> float:
    """Return when the newest of the files was changed."""
    return max((os.stat(file).st_mtime for file in files if os.path.exists(file)), default=0.0)
