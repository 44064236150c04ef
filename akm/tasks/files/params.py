"""Plain values as the declared inputs of a task: each with its type, and as its default."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from akm.errors import UsageError

#: In this order, since true and false are numbers to Python.
_TYPES: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (bool, "boolean"), (str, "string"), ((int, float), "number"), (list, "array"), (dict, "object"),
)  # fmt: skip


def read(text: str, flag: str) -> dict[str, Any]:
    """Read the JSON object that `flag` was given. Raises UsageError, which does not repeat it."""
    from akm.workflow.coercion import strict_json

    try:
        found = strict_json(text)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise UsageError(f"""{flag} needs one JSON object, such as '{{"level": 3}}'.""")
    return found


def declared(values: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Write values as the `inputs` of a task file; null has no type, so anything may take its place."""
    return {name: {**_typed(value), "default": value} for name, value in values.items()}


def _typed(value: Any) -> dict[str, str]:
    return next(({"type": name} for kind, name in _TYPES if isinstance(value, kind)), {})
