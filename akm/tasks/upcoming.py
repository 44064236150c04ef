"""The fires that are to come, of one task or of all that are switched on."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from akm import config, paths, scope
from akm.errors import AkmError
from akm.tasks import activation, catalog, schedule, source
from akm.tasks.task import Task


def fires(ref: str | None, *, count: int, after: datetime) -> list[dict[str, Any]]:
    """List the next `count` fires as `{ref, schedule, local, utc, enabled}`, soonest first.

    Without a ref, of every task that is switched on and whose file is sound. Raises UsageError and
    NotFoundError for the one that is named.
    """
    layers = config.read()
    known = activation.bundles(layers)
    enabled = activation.enabled() or []
    if ref is not None:
        # A task of this project too, which nothing fires yet: its schedule may be looked at all the same.
        everywhere = config.bundles(layers)
        anchor = scope.anchor(paths.working_directory(), everywhere)
        tasks = [catalog.find(ref, bundles=everywhere, anchor=anchor)]
    else:
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


def _task(ref: str, known: dict[str, Any]) -> Task | None:
    try:
        place = activation.canonical(ref, known)
        return None if place is None else source.read(place.path, bundle=place.bundle, root=place.root)
    except AkmError:
        return None  # `akm task sync` says what is wrong with it.
