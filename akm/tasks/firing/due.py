"""Which fires of which tasks lie between two moments, and which came too late. Nothing is started here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, tzinfo

from akm.tasks import schedule
from akm.tasks.files.task import Schedule, Task
from akm.tasks.schedule import LOCAL

#: A fire that is seen up to this much later is on time: whoever waits wakes up once a minute.
GRACE_SECONDS = 90


@dataclass(frozen=True, slots=True)
class Due:
    """The fires of one schedule of a task that are late, or that are not: `count`, from `first` to `fire`."""

    task: Task
    number: int
    trigger: Schedule
    fire: datetime
    first: datetime
    count: int
    is_late: bool


def between(tasks: Iterable[Task], since: float, until: float, *, zone: tzinfo = LOCAL) -> list[Due]:
    """List what fires after `since` and not after `until`, both in seconds since 1970, by the newest fire.

    A schedule stands twice where some of its fires are late and some are not.
    """
    found = []
    start, end = (datetime.fromtimestamp(moment, zone) for moment in (since, until))
    for task in tasks:
        for number, trigger in enumerate(task.schedules, 1):
            fires = schedule.fires_between(trigger.cron, start, end, zone=zone)
            late = [fire for fire in fires if until - fire.timestamp() > GRACE_SECONDS]
            for part, is_late in ((late, True), (fires[len(late) :], False)):
                if part:
                    found.append(Due(task, number, trigger, part[-1], part[0], len(part), is_late))
    return sorted(found, key=lambda due: (due.fire.timestamp(), due.task.ref, due.number))
