"""Task files of versions 2 and 3, or without a version, as far as they can be shown. They are never run."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from akm.errors import UsageError
from akm.tasks.files import faults, versions
from akm.workflow.parsing.frontmatter import Node, plain

TARGETS = ("workflow", "prompt", "command")


@dataclass(frozen=True, slots=True)
class Old:
    """An old task file. `text` is the ref, the prompt or the shell text that its target holds.

    `version` None means that it has none. `values` are all of its keys.
    """

    version: int | float | None
    kind: str
    text: str
    schedule: str | None
    is_enabled: bool
    values: dict[str, Any]


def read(node: Node, path: Path) -> Old:
    """Read an old file. Raises UsageError `TASK_SOURCE_INVALID` when it has not exactly one target."""
    values = plain(node)
    kinds = [kind for kind in TARGETS if kind in values]
    entries = node.value if isinstance(node.value, dict) else {}
    if len(kinds) > 1:
        line = max(entries[kind].line for kind in kinds)
        named = " and ".join(f"`{kind}`" for kind in kinds)
        raise faults.invalid(
            path, line, f"{named} stand side by side, and a task has one target; remove one."
        )
    if not kinds:
        detail = "the file names no target; write one of `workflow`, `prompt` and `command`."
        raise faults.invalid(path, node.line, detail)
    text = _text(kinds[0], values[kinds[0]])
    if text is None:
        form = "text or a list of texts" if kinds[0] == "command" else "text"
        raise _not_text(path, entries[kinds[0]].line, kinds[0], form)
    schedule = values.get("schedule")
    if schedule is not None and not isinstance(schedule, str):
        raise _not_text(path, entries["schedule"].line, "schedule", "text")
    return Old(versions.of(node), kinds[0], text, schedule, values.get("enabled") is not False, values)


def _text(kind: str, value: Any) -> str | None:
    if kind == "command" and isinstance(value, list) and value and all(isinstance(one, str) for one in value):
        return shlex.join(value)
    return value if isinstance(value, str) and value.strip() else None


def _not_text(path: Path, line: int, key: str, form: str) -> UsageError:
    return faults.invalid(path, line, f"`{key}` must be {form}; correct it.")
