"""A described task as lines for people, shared by the verbs that show one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

_LABELS = {
    "ref": "task", "path": "file", "version": "version", "name": "name", "description": "description",
    "target": "target", "inputs": "inputs", "values": "values", "schedules": "schedule", "env": "env",
    "timeoutMs": "timeout (ms)", "problem": "problem", "hint": "hint",
}  # fmt: skip


def of_task(task: dict[str, Any]) -> Iterator[str]:
    """Write one line for each key that holds something, and several for a mapping or a list."""
    for key, value in task.items():
        if key == "id" or value in ({}, []):
            continue
        label = _LABELS.get(key, key)
        if isinstance(value, dict):
            yield f"{label}:"
            yield from (f"  {name}: {_text(one)}" for name, one in value.items())
        elif isinstance(value, list):
            yield f"{label}:"
            yield from (f"  {_text(one)}" for one in value)
        else:
            yield f"{label}: {'none' if value is None else _text(value)}"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
