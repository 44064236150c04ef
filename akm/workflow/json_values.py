"""What makes a Python value a JSON value: a bounded walk that finds the first thing that is none.

Values from a file or a pipe are JSON already, except for NaN and lone surrogates, which Python reads without
complaint; values from Python callers can be anything. Writing JSON is the business of `hashing`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import isfinite
from typing import Any

MAX_DEPTH = 64
_SURROGATE = re.compile("[\ud800-\udfff]")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*\Z")


def fault(value: Any, *, root: str = "$", allow_nul: bool = True, max_depth: int = MAX_DEPTH) -> str | None:
    """Say where and why `value` is no JSON, as `<path>: <reason>` without the value; None when it is."""
    if isinstance(value, (dict, list, tuple)):
        return _container_fault(value, root, allow_nul, max_depth)
    reason = _scalar_fault(value, allow_nul)
    return f"{root}: {reason}" if reason else None


def has_surrogate(text: str) -> bool:
    """Tell whether `text` holds half a surrogate pair, which no encoding can write."""
    return not text.isascii() and _SURROGATE.search(text) is not None


def child_path(path: str, key: str | int) -> str:
    """Extend a path such as `$.files` by a property name or a list position."""
    if isinstance(key, int):
        return f"{path}[{key}]"
    return f"{path}.{key}" if _IDENTIFIER.match(key) else f'{path}["{key}"]'


def _container_fault(
    value: Mapping[Any, Any] | list[Any] | tuple[Any, ...], path: str, allow_nul: bool, depth_left: int
) -> str | None:
    # A cycle ends here as well: it is deeper than any bound.
    if depth_left <= 0:
        return f"{path}: is nested too deeply"
    is_object = isinstance(value, Mapping)
    if is_object and (reason := _key_fault(value, allow_nul)):
        return f"{path}: {reason}"
    pairs = value.items() if isinstance(value, Mapping) else enumerate(value)
    for key, child in pairs:
        if isinstance(child, (dict, list, tuple)):
            found = _container_fault(child, child_path(path, key), allow_nul, depth_left - 1)
        else:
            found = _scalar_fault(child, allow_nul)
            found = f"{child_path(path, key)}: {found}" if found else None
        if found:
            return found
    return None


def _key_fault(value: Any, allow_nul: bool) -> str | None:
    for key in value:
        if not isinstance(key, str):
            return f"has a property name that is {type(key).__name__}, not text"
        if reason := _text_fault(key, allow_nul):
            return f"has a property name that {reason}"
    return None


def _scalar_fault(value: Any, allow_nul: bool) -> str | None:
    if isinstance(value, str):
        return _text_fault(value, allow_nul)
    if isinstance(value, float):
        return None if isfinite(value) else "is not a finite number"
    if value is None or isinstance(value, int):
        return None
    return f"is of type {type(value).__name__}, which JSON does not have"


def _text_fault(text: str, allow_nul: bool) -> str | None:
    if has_surrogate(text):
        return "is not valid Unicode text"
    if not allow_nul and "\0" in text:
        return "contains a NUL character"
    return None
