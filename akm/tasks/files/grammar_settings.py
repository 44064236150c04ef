"""Keys that say how a task runs: `env`, `timeout`, `redact`, `engine` and their like."""

from __future__ import annotations

import re

from akm.tasks.files.grammar_keys import texts
from akm.workflow.parsing.fields import Field
from akm.workflow.parsing.grammar.lists import VARIABLE_NAME
from akm.workflow.wording import as_text

MAX_NUMBER_MS = 2_147_483_647
_MINUTE_MS = 60_000
_DAY_MS = 24 * 60 * _MINUTE_MS
#: Case matters: `m` is a minute and `M` a month of 30 days.
_UNITS = {"m": _MINUTE_MS, "M": 30 * _DAY_MS, "h": 60 * _MINUTE_MS, "H": 60 * _MINUTE_MS}
_UNITS |= {"d": _DAY_MS, "D": _DAY_MS}
_LONGEST_MS = 3660 * _DAY_MS
_DURATION = re.compile(r"([0-9]{1,9})([mMhHdD])")
_SHORTER = re.compile(r"([0-9]{1,6})\s*(s|sec|secs|second|seconds|ms)", re.IGNORECASE)
_FORM = "must be milliseconds such as 90000, a time such as 10m, 2h or 1d, or null for no limit"


def timeout(field: Field) -> int | None:
    """Read how long a task may take in ms; None for no limit, or after noting a fault."""
    value = field.node.value
    if value is None:
        return None
    milliseconds = _milliseconds(field)
    if milliseconds is None:
        return None
    most = MAX_NUMBER_MS if isinstance(value, int) else _LONGEST_MS
    if not 0 <= milliseconds <= most:
        field.fail(f"must lie between 0 and {most} ms; choose a time within that")
        return None
    return milliseconds


def _milliseconds(field: Field) -> int | None:
    value = field.node.value
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    text = value if isinstance(value, str) else ""
    if match := _DURATION.fullmatch(text):
        return int(match[1]) * _UNITS[match[2]]
    if match := _SHORTER.fullmatch(text.strip()):
        milliseconds = int(match[1]) * (1 if match[2].lower() == "ms" else 1000)
        field.fail(
            "is in seconds or less, for which there is no unit, since `m` is a minute and `M` a month; "
            f"write the milliseconds as a number: {milliseconds}"
        )
    elif _DURATION.fullmatch("".join(text.split())):
        field.fail(f'must hold no space; write "{"".join(text.split())}"')
    else:
        field.fail(_FORM)
    return None


def env(field: Field) -> dict[str, str]:
    """Read variables with literal values, as texts."""
    read = {}
    for name, entry in (field.entries() or {}).items():
        value = entry.node.value
        if not VARIABLE_NAME.fullmatch(name):
            entry.fail("is no name of an environment variable; use letters, digits and `_`, no digit first")
        elif not isinstance(value, str | int | float):
            entry.fail(f"must be text, a number, true or false, but {entry.kind}")
        elif isinstance(value, str) and "\0" in value:
            entry.fail("holds a NUL character; remove it")
        else:
            read[name] = value if isinstance(value, str) else as_text(value)
    return read


def positive(field: Field) -> int | None:
    """Read a whole number of 1 or more."""
    return field.integer(1)


def counted(field: Field) -> int | None:
    """Read a whole number of 0 or more."""
    return field.integer(0)


def inference(field: Field) -> None:
    """Check a mapping or null."""
    if field.node.value is not None:
        field.entries()


def tools(field: Field) -> None:
    """Check a text, a list of texts, a mapping or null."""
    match field.node.value:
        case None | dict():
            return
        case tuple():
            texts(field)
        case _:
            field.text()
