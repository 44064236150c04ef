"""The schedule expressions that every scheduler understands alike: five fields, or an alias.

When an expression fires is `akm.tasks.schedule`'s.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from akm.errors import UsageError

REBOOT = "@reboot"
#: The aliases in five fields; `@reboot` has none, because it names no time.
ALIASES = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}
SUBSET = (
    "Write minute, hour, day of the month, month and day of the week (0-6, Sunday is 0), each as `*`, `N`, "
    "`*/N`, `A-B`, `A-B/N` or a list of plain numbers `A,B,C`; or one of "
    f"{', '.join([*ALIASES, REBOOT])}."
)
_NUMBER = re.compile(r"[0-9]{1,3}\Z")
_RANGE = re.compile(r"([0-9a-z]+)-([0-9a-z]+)(?:/([0-9]{1,3}))?\Z")
_LONGEST_MONTHS = {1: 31, 2: 29, 3: 31, 4: 30, 5: 31, 6: 30, 7: 31, 8: 31, 9: 30, 10: 31, 11: 30, 12: 31}


@dataclass(frozen=True, slots=True)
class _Field:
    name: str
    low: int
    high: int
    names: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        return self.high - self.low + 1


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_FIELDS = (
    _Field("minute", 0, 59),
    _Field("hour", 0, 23),
    _Field("day-of-month", 1, 31),
    _Field("month", 1, 12, _MONTHS),
    _Field("day-of-week", 0, 6, _DAYS),
)


def check(expression: str) -> str:
    """Check an expression and return it with names as numbers and aliases in small letters.

    Raises UsageError: `MISSING_REQUIRED_ARGUMENT` for a blank one, else `INVALID_FLAG_VALUE` with what is
    supported as the hint.
    """
    words = expression.lower().split()
    if not words:
        raise UsageError("The schedule is empty.", code="MISSING_REQUIRED_ARGUMENT", hint=SUBSET)
    if words[0].startswith("@"):
        if len(words) > 1 or (words[0] not in ALIASES and words[0] != REBOOT):
            raise _refused("The schedule is no alias that is known.")
        return words[0]
    if len(words) != len(_FIELDS):
        raise _refused(f"The schedule has {len(words)} fields, and it needs {len(_FIELDS)}.")
    checked = [_checked(field, word) for field, word in zip(_FIELDS, words, strict=True)]
    if checked[2] != "*" and checked[4] != "*":
        raise _refused(
            "The schedule restricts both the day of the month and the day of the week: leave one `*`."
        )
    _check_it_comes(checked[2], checked[3])
    return " ".join(checked)


def fields(expression: str) -> str | None:
    """Return a checked expression in five fields; None for `@reboot`, which names no time."""
    return None if expression == REBOOT else ALIASES.get(expression, expression)


def _checked(field: _Field, word: str) -> str:
    if word == "*":
        return word
    if word.startswith("*/"):
        step = word[2:]
        if not _NUMBER.match(step) or not 1 <= int(step) <= field.size:
            raise _refused(
                f"The {field.name} field of the schedule needs a step from 1 to {field.size} after `*/`."
            )
        return f"*/{int(step)}"
    if span := _RANGE.match(word):
        return _range(field, span)
    numbers = sorted({_value(field, part) for part in word.split(",")})
    return ",".join(map(str, numbers))


def _range(field: _Field, span: re.Match[str]) -> str:
    first, last = _value(field, span[1]), _value(field, span[2])
    if first > last:
        raise _refused(f"The {field.name} field of the schedule has a range that ends before it begins.")
    if span[3] is None:
        return f"{first}-{last}"
    if int(span[3]) < 1:
        raise _refused(f"The {field.name} field of the schedule needs a step of at least 1.")
    return f"{first}-{last}/{int(span[3])}"


def _value(field: _Field, text: str) -> int:
    if text in field.names:
        return field.low + field.names.index(text)
    if _NUMBER.match(text) and field.low <= int(text) <= field.high:
        return int(text)
    if _NUMBER.match(text):
        raise _refused(
            f"The {field.name} field of the schedule has a number outside {field.low}-{field.high}."
        )
    raise _refused(f"The {field.name} field of the schedule is written in a form that is not supported.")


def _check_it_comes(day: str, month: str) -> None:
    first = min(_first_number(day, 1), 31)
    longest = max(_LONGEST_MONTHS[number] for number in _months(month))
    if first > longest:
        raise _refused("The schedule never fires: none of its months has such a day.")


def _first_number(word: str, lowest: int) -> int:
    return lowest if word.startswith("*") else int(re.split(r"[-,/]", word)[0])


def _months(word: str) -> list[int]:
    body, _, step = word.partition("/")
    if body == "*":
        return list(range(1, 13, int(step or 1)))
    if "-" in body:
        first, last = body.split("-")
        return list(range(int(first), int(last) + 1, int(step or 1)))
    return [int(number) for number in body.split(",")]


def _refused(sentence: str) -> UsageError:
    return UsageError(sentence, hint=SUBSET)
