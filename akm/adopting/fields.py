"""Checking one value of a foreign row: what it may be, and the one sentence that says what it is not."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from akm import clock
from akm.store.statement import Value

Found = Mapping[str, Any]
#: Takes a value as it was found and the name of its column. Raises Unusable.
Reader = Callable[[Any, str], Value]
_EXACT: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\Z")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")
_LARGEST: Final = 2**63 - 1


class Unusable(Exception):
    """A row cannot be taken over; the text says why, without the value."""


def mapped(found: Found, readers: Mapping[str, Reader]) -> dict[str, Value]:
    """Read every column that `readers` names; a column that is not there reads as null. Raises Unusable."""
    return {name: read(found.get(name), name) for name, read in readers.items()}


def text(value: Any, name: str) -> str | None:
    """Take any text, or null."""
    if value is None or isinstance(value, str):
        return value
    raise Unusable(f"{name} is not text in UTF-8" if isinstance(value, bytes) else f"{name} is no text")


def needed(value: Any, name: str) -> str:
    """Take any text that is there."""
    found = text(value, name)
    if found is None:
        raise Unusable(f"{name} is missing")
    return found


def identifier(value: Any, name: str) -> str:
    """Take a text that names something: not empty, and without control characters."""
    found = needed(value, name)
    if not found:
        raise Unusable(f"{name} is empty")
    if _CONTROL.search(found):
        raise Unusable(f"{name} holds a control character")
    return found


def moment(value: Any, name: str) -> str:
    """Take a time, written as ours are: other spellings of ISO 8601 become that."""
    found = needed(value, name)
    try:
        seconds = clock.seconds(found)
    except (ValueError, OverflowError):
        raise Unusable(f"{name} is no time") from None
    if seconds < 0:
        raise Unusable(f"{name} is no time")
    return found if _EXACT.match(found) else clock.stamp(seconds)


def maybe_moment(value: Any, name: str) -> str | None:
    """Take a time or null."""
    return None if value is None else moment(value, name)


def number(value: Any, name: str) -> int | None:
    """Take a whole number that is not negative, or null."""
    if value is None:
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or not 0 <= value <= _LARGEST:
        raise Unusable(f"{name} is no whole number")
    return value


def amount(value: Any, name: str) -> float | None:
    """Take a sum of money, or null."""
    if value is None:
        return None
    if not isinstance(value, int | float) or not 0 <= value <= _LARGEST:
        raise Unusable(f"{name} is no amount")
    return float(value)


def count(value: Any, name: str) -> int:
    """Take a number that is there and counts from one."""
    found = number(value, name)
    if not found:
        raise Unusable(f"{name} does not count from one")
    return found


def position(value: Any, name: str) -> int:
    """Take a number that is there."""
    found = number(value, name)
    if found is None:
        raise Unusable(f"{name} is missing")
    return found


def json_text(value: Any, name: str) -> str | None:
    """Take JSON as its text, or null."""
    found = text(value, name)
    if found is not None:
        parsed(found, name)
    return found


def json_object(value: Any, name: str) -> str:
    """Take an object as its text; null is an empty one, as the column's default has it."""
    found = text(value, name)
    if found is None:
        return "{}"
    if not isinstance(parsed(found, name), dict):
        raise Unusable(f"{name} is no JSON object")
    return found


def parsed(found: str, name: str) -> Any:
    """Parse JSON. Raises Unusable."""
    try:
        return json.loads(found)
    except (ValueError, RecursionError):
        raise Unusable(f"{name} is no JSON") from None


def one_of(words: Iterable[str]) -> Reader:
    """Make a reader that takes one of `words`."""
    known = tuple(words)

    def read(value: Any, name: str) -> str:
        if value not in known:
            raise Unusable(f"{name} is none of {', '.join(known)}")
        return str(value)

    return read


def none_or(read: Reader) -> Reader:
    """Make a reader that takes null as well."""
    return lambda value, name: None if value is None else read(value, name)
