"""Switching a task's schedule on and off: the list is changed first, then the scheduler follows."""

from __future__ import annotations

from typing import Any

from akm import config
from akm.errors import UsageError
from akm.tasks import activation, installation, source, sync
from akm.tasks.schedulers import cron, crontab_text, lock


def enable(ref: str) -> dict[str, Any]:
    """Switch a task on. Returns `{ref, enabled, changed, sync}`.

    Raises UsageError when the task has no schedule or its file is not sound; nothing is written then.
    """
    place = activation.locate(ref, activation.bundles(config.read()))
    task = source.read(place.path, bundle=place.bundle, root=place.root)
    if not task.schedules:
        raise UsageError(
            f"The task {place.ref} has no schedule, so there is nothing to enable.",
            hint=f"Add `schedule:` to {place.path}, or run it by hand with `akm task run {place.id}`.",
        )
    return switch(place.ref, is_on=True)


def disable(ref: str) -> dict[str, Any]:
    """Switch a task off. Returns `{ref, enabled, changed, sync}`; its file may be gone already."""
    known = activation.bundles(config.read())
    listed = ref in (activation.enabled() or [])
    return switch(ref if listed else activation.locate(ref, known).ref, is_on=False)


def switch(ref: str, *, is_on: bool) -> dict[str, Any]:
    """Put a fully qualified ref into the list, or take it out, and sync its bundle, under the lock."""
    known = activation.bundles(config.read())
    bundle = ref.partition("//")[0]
    with lock.held():
        blocks = crontab_text.blocks(cron.read())
        refs, warnings = sync.chosen(blocks, installation.here(), known)
        changed = (ref in refs) != is_on
        if changed or warnings:
            activation.write([*refs, ref] if is_on else [kept for kept in refs if kept != ref])
        done = sync.sync(bundle=bundle if bundle in known else None)
    done["warnings"] = [*warnings, *done["warnings"]]
    return {"ref": ref, "enabled": is_on, "changed": changed, "sync": done}
