"""Who answers a prose unit and how: `engine`, `model`, `llm`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from akm.inference import MAX_EXTRA_PARAMS_BYTES, OWN_KEYS
from akm.workflow.parsing.fields import Field

_ENGINE = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_MAX_ENGINE_CHARACTERS = 63


def engine(field: Field) -> str | None:
    """Read the name of an engine."""
    name = field.text()
    if name is None:
        return None
    if _ENGINE.fullmatch(name) and len(name) <= _MAX_ENGINE_CHARACTERS:
        return name
    field.fail(
        f"must be an engine name: lower-case words joined by `-`, at most {_MAX_ENGINE_CHARACTERS} characters"
    )
    return None


def llm(field: Field) -> Mapping[str, Any] | None:
    """Read the inference settings of a model."""
    entries = field.mapping(tuple(_SETTINGS))
    if entries is None:
        return None
    return {key: _SETTINGS[key](entry) for key, entry in entries.items()}


def _temperature(field: Field) -> float | None:
    value = field.node.value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    field.fail(f"must be a number, but {field.kind}")
    return None


def _positive(field: Field) -> int | None:
    return field.integer(1)


def _extra_params(field: Field) -> Mapping[str, Any] | None:
    entries = field.entries()
    if entries is None:
        return None
    for key in entries.keys() & set(OWN_KEYS):
        entries[key].fail(
            "is set by the engine itself; use its own key in `llm` or `model`, and remove it here"
        )
    value: dict[str, Any] = field.plain
    size = len(json.dumps(value, ensure_ascii=False).encode())
    if size > MAX_EXTRA_PARAMS_BYTES:
        field.fail(f"takes {size} bytes as JSON; at most {MAX_EXTRA_PARAMS_BYTES} (64 KiB) are allowed")
    return value


_SETTINGS: dict[str, Callable[[Field], Any]] = {
    "temperature": _temperature,
    "max_tokens": _positive,
    "supports_json_schema": Field.boolean,
    "extra_params": _extra_params,
    "context_length": _positive,
    "enable_thinking": Field.boolean,
    "reasoning_effort": Field.text,
}
