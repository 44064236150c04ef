"""What a plain scalar means, by the core rules of YAML 1.2: `yes`, `on`, `22:30` and dates are text."""

from __future__ import annotations

import math
import re

Scalar = str | int | float | bool | None

_WORDS: dict[str, Scalar] = {
    "": None,
    "~": None,
    "null": None,
    "Null": None,
    "NULL": None,
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
}
# Only ASCII digits: int() would take those of any script.
_DECIMAL = re.compile(r"[-+]?[0-9]+")
_BASED = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
#: Longer numbers exceed what a double holds, and Python refuses to convert the very long ones.
_MAX_DIGITS = 308


def plain_value(text: str) -> Scalar:
    """Read an unquoted scalar; raises ValueError with the reason when it is a number nobody can store."""
    if text in _WORDS:
        return _WORDS[text]
    if _NOT_FINITE.fullmatch(text):
        raise ValueError(f"`{text}` is not a finite number")
    if _DECIMAL.fullmatch(text) or _BASED.fullmatch(text):
        return _integer(text)
    if _FLOAT.fullmatch(text):
        return _float(text)
    return text


def _integer(text: str) -> int:
    if len(text) > _MAX_DIGITS:
        raise ValueError(f"a number of {len(text)} digits is too large")
    return int(text, 0) if _BASED.fullmatch(text) else int(text)


def _float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("the number is too large")
    return number
