"""Which grammar a task file is written in, by its `version`. Only version 4 can be run."""

from __future__ import annotations

from pathlib import Path

from akm.errors import UsageError
from akm.tasks.files import faults
from akm.workflow.parsing.frontmatter import Node

CURRENT = 4
OLD = (2, 3)
#: Keys that only the grammars before version 4 had.
OLD_KEYS = frozenset({"enabled", "workflow", "prompt", "command", "params", "timeoutMs"})
#: By one of these, a mapping is meant as a task.
_TELLING = frozenset({"version", "uses", "run", "schedule"}) | OLD_KEYS


def of(node: Node) -> int | float | None:
    """Return the number that `version` holds; None when there is none."""
    found = node.value.get("version") if isinstance(node.value, dict) else None
    value = found.value if found else None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def is_task(node: Node) -> bool:
    """Tell whether a document is meant as a task at all."""
    return isinstance(node.value, dict) and not _TELLING.isdisjoint(node.value)


def is_old(node: Node) -> bool:
    """Tell whether a document is of version 2 or 3, or has no version and the keys of these."""
    if not isinstance(node.value, dict):
        return False
    return of(node) in OLD or ("version" not in node.value and not OLD_KEYS.isdisjoint(node.value))


def retired_switches(node: Node) -> list[Node]:
    """Return the `enabled` values inside the entries of `schedule`, which version 4 no longer has."""
    schedule = node.value.get("schedule") if isinstance(node.value, dict) else None
    entries = schedule.value if schedule and isinstance(schedule.value, tuple) else ()
    return [
        entry.value["enabled"]
        for entry in entries
        if isinstance(entry.value, dict) and "enabled" in entry.value
    ]


def refusal(node: Node, path: Path) -> UsageError | None:
    """Return why this document cannot be read as version 4; None when it says that it is one."""
    if not isinstance(node.value, dict):
        return faults.invalid(path, node.line, "the file must be a mapping that begins with `version: 4`.")
    version, line = of(node), _line(node)
    if version == CURRENT:
        return _switched(node, path)
    convert = f"See what it would be in version 4: akm task convert {path}"
    if version in OLD:
        detail = f"`version` is {version:g}, and only version 4 runs; convert the file."
        return faults.invalid(path, line, detail, code=faults.VERSION_UNSUPPORTED, hint=convert)
    if version is not None:
        detail = f"`version` is {version:g}, and only version 4 is known; write `version: 4`."
        return faults.invalid(path, line, detail, code=faults.VERSION_UNSUPPORTED)
    if "version" in node.value:
        return faults.invalid(path, line, "`version` must be exactly 4, a number without quotes.")
    if is_old(node):
        detail = "`version` is required, and the keys are those of version 2; convert the file."
        return faults.invalid(path, line, detail, hint=convert)
    return faults.invalid(path, line, "`version` is required; write `version: 4`.")


def _switched(node: Node, path: Path) -> UsageError | None:
    switches = retired_switches(node)
    if not switches:
        return None
    detail = "`schedule[].enabled` no longer exists, because a file cannot enable itself; remove the key."
    return faults.invalid(path, switches[0].line, detail, hint=f"Do it with: akm task convert {path} --write")


def _line(node: Node) -> int:
    found = node.value.get("version") if isinstance(node.value, dict) else None
    return found.line if found else node.line
