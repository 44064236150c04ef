"""The keys of a task file that are accepted and change nothing for its target, and how that is told."""

from __future__ import annotations

from collections.abc import Mapping

from akm.tasks.files.task import Task

#: The kinds of targets that read a key. What may always be given and always counts is not listed.
_READERS: Mapping[str, tuple[str, ...]] = {
    "inputs": ("workflow",),
    "agent": ("command",),
    "engine": ("command",),
    "model": ("command",),
    "maxSteps": ("workflow",),
    "maxRetries": ("workflow",),
    "output": (),
}


def keys(task: Task) -> tuple[str, ...]:
    """Name the keys that the file has and that change nothing."""
    given = {"inputs": task.inputs or None, **task.settings}
    unread = [
        key for key, kinds in _READERS.items() if given[key] is not None and task.target.kind not in kinds
    ]
    return (*unread, *task.not_applied)


def sentences(task: Task) -> tuple[str, ...]:
    """Say of each such key that it changes nothing, in one sentence."""
    return tuple(_sentence(task, key) for key in keys(task))


def _sentence(task: Task, key: str) -> str:
    kinds = _READERS.get(key, ())
    if kinds:
        only = f"is only read for a {kinds[0]} target, and this is a {task.target.kind} target"
        return f"Task {task.id}: `{key}` {only}."
    return f"Task {task.id}: `{key}` is checked and changes nothing yet."
