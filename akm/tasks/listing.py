"""Every task file in one line each, those that cannot be run with the reason."""

from __future__ import annotations

from collections.abc import Mapping, Set
from pathlib import Path
from typing import Any

from akm.errors import AkmError, ConfigError
from akm.tasks import catalog, explain
from akm.tasks.files import old, versions, yaml_text
from akm.tasks.files.task import Command, Shell, Task


def listed(bundles: Mapping[str, Path], anchor: Path, enabled: Set[str]) -> list[dict[str, Any]]:
    """List the tasks with schedule, target and problem; `enabled` holds the refs that are scheduled."""
    return [_row(entry) | {"enabled": entry.ref in enabled} for entry in catalog.tasks(bundles, anchor)]


def shown(file: catalog.File) -> dict[str, Any]:
    """Describe one task file, also of an older version, then with the reason why it is not run."""
    node = yaml_text.tree(yaml_text.load(file.path), file.path)
    if versions.is_old(node):
        refusal = versions.refusal(node, file.path)
        assert refusal is not None
        described = explain.described_old(old.read(node, file.path), file.ref, str(file.path))
        return described | {"problem": refusal.message, "hint": refusal.hint}
    return explain.described(catalog.read(file))


def _row(entry: catalog.Entry) -> dict[str, Any]:
    row: dict[str, Any] = {"ref": entry.ref, "path": str(entry.path)}
    task = entry.task
    if isinstance(task, Task):
        return row | {"schedules": [one.cron for one in task.schedules], "target": _target(task)}
    if isinstance(task, ConfigError):
        return row | {"schedules": [], "target": None, "problem": task.message, "code": task.code}
    return row | {"problem": task.message, "code": task.code} | _old(entry.path)


def _target(task: Task) -> str:
    match task.target:
        case Shell():
            return f"run: {_first_line(task.target.text)}"
        case Command(ref=None):
            return f"prompt: {_first_line(task.target.content or '')}"
        case other:
            return str(other.ref)


def _first_line(text: str) -> str:
    line = text.strip().split("\n")[0]
    return line if len(line) <= 60 else f"{line[:59]}…"


def _old(path: Path) -> dict[str, Any]:
    unknown: dict[str, Any] = {"schedules": [], "target": None}
    try:
        node = yaml_text.tree(yaml_text.load(path), path)
        task = old.read(node, path) if versions.is_old(node) else None
    except AkmError as error:
        return unknown | {"problem": error.message, "code": error.code}
    if task is None:
        return unknown
    schedules = [task.schedule] if task.schedule else []
    return {"schedules": schedules, "target": f"{task.kind}: {_first_line(task.text)}"}
