"""From the text of one command-line parameter to the JSON value that its schema asks for.

Text that fits no declared type is refused with the types' names and never repeated.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import Any

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\Z")
_MAX_SAFE_INTEGER = 2**53 - 1
#: What a flag carries: its text, or True when it stood alone.
Raw = str | bool


class Misfit(ValueError):
    """The text fits none of the declared types; the message completes "parameter x ..."."""


def coerce_values(values: Sequence[Raw], schema: Mapping[str, Any]) -> Any:
    """Turn all values given for one parameter, in order, into its value. Raises Misfit."""
    types = _types(schema)
    if "array" in types:
        return _array(values, schema, types)
    if len(values) > 1:
        raise Misfit("is repeated, and only an array takes several values")
    return _scalar(values[0], types)


def strict_json(text: str) -> Any:
    """Read JSON without Python's leniencies (NaN, infinities, repeated names). Raises ValueError."""
    try:
        return json.loads(text, parse_constant=_no_constant, object_pairs_hook=_no_repeats)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _no_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a property name is repeated")
    return found


def _types(schema: Mapping[str, Any]) -> tuple[str, ...]:
    declared = schema.get("type", ())
    return (declared,) if isinstance(declared, str) else tuple(declared)


def _array(values: Sequence[Raw], schema: Mapping[str, Any], types: tuple[str, ...]) -> Any:
    only = values[0]
    if len(values) == 1:
        if isinstance(only, str) and only.lstrip().startswith("["):
            return _json(only, (list,), "an array")
        if types != ("array",):
            # With a plain value, the other types of the union decide.
            return _scalar(only, tuple(name for name in types if name != "array"), types)
    items = schema.get("items")
    if not isinstance(items, Mapping):
        return list(values)
    return [coerce_values([value], items) for value in values]


def _scalar(raw: Raw, types: tuple[str, ...], named: tuple[str, ...] | None = None) -> Any:
    if not types:
        return raw
    if raw is True:
        return _bare(types)
    text = str(raw)
    if "string" in types:
        return text
    for name, read in _READERS.items():
        if name in types:
            fits, value = read(text)
            if fits:
                return value
    raise Misfit(f"must be {_alternatives(named or types)}")


def _bare(types: tuple[str, ...]) -> Any:
    if "boolean" in types:
        return True
    if "string" in types:
        return "true"
    raise Misfit(f"needs a value: it must be {_alternatives(types)}")


def _alternatives(types: tuple[str, ...]) -> str:
    return " or ".join(types)


def _json(text: str, kinds: tuple[type, ...], wanted: str) -> Any:
    try:
        value = strict_json(text)
    except ValueError:
        raise Misfit(f"is not well-formed JSON, and must be {wanted}") from None
    if not isinstance(value, kinds):
        raise Misfit(f"must be {wanted}")
    return value


def _boolean(text: str) -> tuple[bool, Any]:
    return text in ("true", "false"), text == "true"


def _number(text: str) -> tuple[bool, Any]:
    stripped = text.strip(" \t\r\n")
    # The length bound keeps a pasted wall of digits from being converted at all.
    if len(stripped) > 400 or not _NUMBER.match(stripped):
        return False, None
    value = float(stripped)
    if not isfinite(value):
        return False, None
    return True, int(value) if value.is_integer() and abs(value) <= _MAX_SAFE_INTEGER else value


def _integer(text: str) -> tuple[bool, Any]:
    fits, value = _number(text)
    return fits and isinstance(value, int), value


def _null(text: str) -> tuple[bool, Any]:
    return text == "null", None


def _object(text: str) -> tuple[bool, Any]:
    if not text.lstrip().startswith("{"):
        return False, None
    return True, _json(text, (dict,), "an object")


#: In the order in which declared types are tried; `string` and `array` are decided before.
_READERS: dict[str, Callable[[str], tuple[bool, Any]]] = {
    "boolean": _boolean,
    "number": _number,
    "integer": _integer,
    "null": _null,
    "object": _object,
}
