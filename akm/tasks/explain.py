"""A task as people and programs are shown it: JSON values, with whatever looks like a credential redacted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from akm.tasks.execution.inputs import Bound, Given, resolve
from akm.tasks.files import unused
from akm.tasks.files.old import Old
from akm.tasks.files.task import Command, Shell, Target, Task
from akm.workflow import secret_shapes

REDACTED = "[REDACTED]"


def described(task: Task) -> dict[str, Any]:
    """Describe a whole task; keys that it does not use are left out."""
    texts = {"name": task.name, "description": task.description, "whenToUse": task.when_to_use}
    lists = {"tags": [*task.tags], "redact": [*task.redact], "notApplied": [*unused.keys(task)]}
    return {
        "ref": task.ref,
        "id": task.id,
        "path": str(task.path),
        "version": 4,
        **{key: value for key, value in texts.items() if value is not None},
        "target": target(task.target),
        "schedules": [{"cron": one.cron, "inputs": redacted(one.inputs)} for one in task.schedules],
        "inputs": {name: _input(name, one) for name, one in task.inputs.items()},
        "env": redacted(task.env),
        "timeoutMs": task.timeout_ms,
        **{key: value for key, value in (task.settings | lists).items() if value not in (None, [])},
    }


def explained(task: Task, given: Given = ()) -> dict[str, Any]:
    """Describe a task with the value of each input and where it came from, by hand and per trigger.

    Raises UsageError `UNKNOWN_FLAG` or `INPUT_BINDING_INVALID`; a value that is still missing is none.
    """
    bound = resolve(task, given)
    fires = [
        {"cron": one.cron, "values": _values(task, resolve(task, (), one.inputs))} for one in task.schedules
    ]
    return {**described(task), "values": _values(task, bound), "schedules": fires}


def described_old(task: Old, ref: str, path: str) -> dict[str, Any]:
    """Describe a task of an older version as far as that is understood."""
    told: dict[str, Any] = {
        str(key): task.values[key] for key in ("name", "description", "tags") if key in task.values
    }
    return {
        "ref": ref,
        "path": path,
        "version": task.version,
        **told,
        "target": {"kind": task.kind, "text": task.text},
        "schedules": [{"cron": task.schedule}] if task.schedule else [],
        "enabledInFile": task.is_enabled,
    }


def target(found: Target) -> dict[str, Any]:
    """Describe what a task runs."""
    if isinstance(found, Shell):
        told = {"text": found.text, "shell": found.shell, "workingDirectory": found.working_directory}
    elif isinstance(found, Command):
        told = {"ref": found.ref, "content": found.content, "arguments": found.arguments}
    else:
        told = {"ref": found.ref}
    return {"kind": found.kind, **{key: value for key, value in told.items() if value is not None}}


def redacted(values: Mapping[str, Any]) -> dict[str, Any]:
    """Replace every value that looks like a credential, by its own shape or the name it goes under."""
    return {name: REDACTED if _is_secret(name, value) else value for name, value in values.items()}


def _is_secret(name: str, value: Any) -> bool:
    return next(secret_shapes.found({name: value}), None) is not None


def _input(name: str, declared: Any) -> dict[str, Any]:
    shown: dict[str, Any] = {"schema": dict(declared.schema), "required": declared.is_required}
    if declared.has_default:
        shown["default"] = redacted({name: declared.default})[name]
    return shown


def _values(task: Task, bound: Bound) -> dict[str, Any]:
    shown = redacted(bound.values)
    return {
        name: {"value": shown[name], "from": bound.provenance[name]} if name in shown else {"from": "missing"}
        for name in task.inputs
    }
