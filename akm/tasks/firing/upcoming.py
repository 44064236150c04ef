"""The fires that are to come, of one task or of all that are switched on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from akm.engine import workplace
from akm.errors import AkmError
from akm.tasks import catalog, schedule
from akm.tasks.files.task import Task
from akm.tasks.firing import activation


def fires(
    ref: str | None, *, count: int, after: datetime, complain: Callable[[str], None]
) -> list[dict[str, Any]]:
    """List the next `count` fires as `{ref, schedule, local, utc, enabled}`, soonest first.

    Without a ref, of every task that is switched on and whose file is sound. Raises UsageError and
    NotFoundError for the one that is named. `complain` is as in `akm.tasks.firing.activation.enabled`.
    """
    enabled = activation.enabled(complain) or []
    if ref is not None:
        # A task of this project too, which nothing fires yet: its schedule may be looked at all the same.
        work = workplace.here()
        tasks = [catalog.find(ref, bundles=work.bundles, anchor=work.anchor)]
    else:
        known = activation.bundles()
        tasks = [task for listed in enabled if (task := _task(listed, known)) is not None]
    coming = [
        (fire.timestamp(), fire, task.ref, trigger.cron)
        for task in tasks
        for trigger in task.schedules
        for fire in schedule.next_fires(trigger.cron, after, count)
    ]
    coming.sort(key=lambda entry: (entry[0], entry[2]))
    return [
        {
            "ref": name,
            "schedule": expression,
            "local": fire.isoformat(timespec="minutes"),
            "utc": fire.astimezone(UTC).strftime("%Y-%m-%dT%H:%MZ"),
            "enabled": name in enabled,
        }
        for _, fire, name, expression in coming[:count]
    ]


def _task(ref: str, known: Mapping[str, Path]) -> Task | None:
    file = activation.file(ref, known)
    try:
        return None if file is None else catalog.read(file)
    except AkmError:
        return None  # `akm task sync` says what is wrong with it.
