"""Canonical JSON, which gives equal values equal texts, and the digests made of it.

The text is what a JavaScript engine writes after sorting every object's keys by UTF-16 code unit, so that
hashes agree with the original akm-cli: no whitespace, nothing escaped that need not be, `1` for `1.0`.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from math import isfinite
from typing import Any

from akm.workflow.json_values import has_surrogate

# Only text in these ranges sorts differently by UTF-16 code unit than by code point, or cannot be encoded.
_BEYOND_BMP = re.compile("[\ud800-\udfff\U00010000-\U0010ffff]")
_dump = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True, allow_nan=False).encode
_quote = json.JSONEncoder(ensure_ascii=False).encode
#: JavaScript writes numbers from here on with an exponent.
_PLAIN_DIGITS = 21


def canonical(value: Any) -> str:
    """Write a JSON value canonically.

    Raises ValueError, without echoing the value, for NaN, infinity, lone surrogates, cycles, nesting beyond
    reason and everything JSON has no word for. Whole numbers of any size are written as they are.
    """
    try:
        if _is_plain(value):
            text = _dump(value)
            if text.isascii() or not _BEYOND_BMP.search(text):
                return text
        return "".join(_pieces(value))
    except RecursionError:
        raise ValueError("the value is nested too deeply, or contains itself") from None


def sha256_hex(text: str) -> str:
    """Digest the UTF-8 bytes of `text`, as 64 hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()


def _is_plain(value: Any) -> bool:
    """Tell whether the C encoder writes this value canonically: no floats, no odd types, text as keys."""
    kind = type(value)
    if kind is dict:
        return all(type(key) is str and _is_plain(child) for key, child in value.items())
    if kind is list:
        return all(map(_is_plain, value))
    return kind is str or kind is int or kind is bool or value is None


def _pieces(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        yield from _object(value)
    elif isinstance(value, (list, tuple)):
        yield from _array(value)
    else:
        yield _scalar(value)


def _object(value: Mapping[Any, Any]) -> Iterator[str]:
    if not all(isinstance(key, str) for key in value):
        raise ValueError("an object has a property name that is not text")
    separator = "{"
    for key in sorted(value, key=_code_units):
        yield f"{separator}{_text(key)}:"
        yield from _pieces(value[key])
        separator = ","
    yield "}" if value else "{}"


def _array(value: list[Any] | tuple[Any, ...]) -> Iterator[str]:
    separator = "["
    for child in value:
        yield separator
        yield from _pieces(child)
        separator = ","
    yield "]" if value else "[]"


def _code_units(key: str) -> bytes:
    return key.encode("utf-16-be", "surrogatepass")


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        return _text(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return int.__repr__(value)
    if isinstance(value, float):
        return _number(value)
    raise ValueError(f"a value of type {type(value).__name__} cannot be written as JSON")


def _text(value: str) -> str:
    if has_surrogate(value):
        raise ValueError("a text is not valid Unicode")
    return _quote(value)


def _number(value: float) -> str:
    """Write a float as JavaScript does: the shortest digits that read back as the same number."""
    if not isfinite(value):
        raise ValueError("a number is not finite")
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    mantissa, _, exponent = float.__repr__(abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = fraction.rstrip("0")
    point = len(whole) + int(exponent or 0)
    digits = (whole + fraction).lstrip("0")
    point -= len(whole + fraction) - len(digits)
    return sign + _layout(digits.rstrip("0"), point)


def _layout(digits: str, point: int) -> str:
    count = len(digits)
    if count <= point <= _PLAIN_DIGITS:
        return digits + "0" * (point - count)
    if 0 < point <= _PLAIN_DIGITS:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"0.{'0' * -point}{digits}"
    mantissa = digits if count == 1 else f"{digits[0]}.{digits[1:]}"
    return f"{mantissa}e{point - 1:+d}"
