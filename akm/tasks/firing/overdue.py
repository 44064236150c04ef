"""Which fires of enabled tasks have no run, by comparing schedules with the history."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from itertools import accumulate, pairwise
from math import inf
from typing import Any, NamedTuple

from akm import clock, states
from akm.store.database import Database
from akm.tasks import schedule
from akm.tasks.execution import running
from akm.tasks.files.task import Task

#: How far back fires are compared, and how long a fire may take to show up in the history.
LOOK_BACK_SECONDS = 7 * 86_400
PATIENCE_SECONDS = 120
#: An attempt is reserved a moment after its fire, by another process with the same clock.
_SLACK_SECONDS = 1
#: How long before the span a run may have begun that was still under way in it.
_LONGEST_SECONDS = 86_400


class Ran(NamedTuple):
    """When an attempt began and ended, in seconds since 1970."""

    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Unrun:
    """Fires of a task that have no run: `count` of them, from `since` to `last`."""

    ref: str
    since: str
    last: str
    count: int

    def shown(self) -> dict[str, object]:
        """Shape this for the report."""
        return asdict(self)


def runs(db: Database, task: Task, since: float, now: float) -> list[Ran]:
    """List the real attempts of a task in the span, oldest first; what was missed or skipped is none."""
    from akm.services.task_history import MISSED

    found = running.attempts(db, running.of(task, since=clock.stamp(since - _LONGEST_SECONDS)))
    return [_ran(row, now) for row in reversed(found) if row["status"] not in (MISSED, states.SKIPPED)]


def find(task: Task, ran: Sequence[Ran], now: float, *, since: float) -> Unrun | None:
    """Say which fires after the newest run have none; None when it is not overdue.

    `since` is the moment before which the task may not have been enabled or as it is now.
    """
    start = max(since, ran[-1].start + _SLACK_SECONDS) if ran else since
    return _unrun(task, _fires(task, start, now - PATIENCE_SECONDS))


def gap(task: Task, ran: Sequence[Ran], *, since: float) -> Unrun | None:
    """Say which fires before the newest run had none; None when each had its own, or came during another."""
    if not ran:
        return None
    starts = [one.start for one in ran]
    ends = list(accumulate((one.end for one in ran), max))
    fires = _fires(task, since, starts[-1] + _SLACK_SECONDS)

    def has_run(fire: float, following: float) -> bool:
        first = bisect_left(starts, fire - _SLACK_SECONDS)
        if first < len(starts) and starts[first] < following - _SLACK_SECONDS:
            return True
        return first > 0 and ends[first - 1] >= fire

    pairs = pairwise([*fires, inf])
    return _unrun(task, [fire for fire, following in pairs if not has_run(fire, following)])


def _ran(row: Mapping[str, Any], now: float) -> Ran:
    is_alive = row.get("open") and row["status"] == states.ACTIVE
    return Ran(clock.seconds(row["startedAt"]), now if is_alive else clock.seconds(row["finishedAt"]))


def _fires(task: Task, start: float, end: float) -> list[float]:
    if start >= end:
        return []
    span = (datetime.fromtimestamp(start, UTC), datetime.fromtimestamp(end, UTC))
    return sorted({
        fire.timestamp() for one in task.schedules for fire in schedule.fires_between(one.cron, *span)
    })  # fmt: skip


def _unrun(task: Task, fires: list[float]) -> Unrun | None:
    if not fires:
        return None
    return Unrun(task.ref, clock.stamp(fires[0]), clock.stamp(fires[-1]), len(fires))


def changed_at(*files: os.PathLike[str]) -> float:
    """Return when the newest of the files was changed."""
    return max((os.stat(file).st_mtime for file in files if os.path.exists(file)), default=0.0)
