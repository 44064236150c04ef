"""What was found in a foreign database and what was not usable of it, counted and listed while it is read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, NamedTuple, TypeVar

from akm.adopting.fields import Found, Unusable

Made = TypeVar("Made")
#: How many rows that were left behind are named; the others are only counted.
MOST_NAMED: Final = 100
_LONGEST_KEY: Final = 200
# What may carry a password: the part before a host's name, and what follows a question mark.
_PRIVATE: Final = re.compile(r"(?<=//)[^/@\s]*@|\?.*", re.DOTALL)


class Left(NamedTuple):
    """One row that was left behind."""

    table: str
    key: str
    reason: str


class Tally:
    """Counts by table. `folded` rows became part of another, `made` ones stand for rows that were missing."""

    def __init__(self) -> None:
        self.found: Counter[str] = Counter()
        self.left: Counter[str] = Counter()
        self.folded: Counter[str] = Counter()
        self.made: Counter[str] = Counter()
        self.named: list[Left] = []

    def leave(self, table: str, key: str, reason: str) -> None:
        """Count a row that stays behind, and name it while there is room."""
        self.left[table] += 1
        if len(self.named) < MOST_NAMED:
            self.named.append(Left(table, key, reason))

    def usable(
        self, table: str, rows: Iterable[Found], read: Callable[[Found], Made], key: tuple[str, ...]
    ) -> Iterator[Made]:
        """Read each row, counting it; those that cannot be taken over are left behind."""
        for found in rows:
            self.found[table] += 1
            try:
                made = read(found)
            except Unusable as fault:
                self.leave(table, named(found, key), str(fault))
            else:
                yield made


def named(found: Found, key: tuple[str, ...]) -> str:
    """Name a row by its key, as far as that can be shown."""
    name = " ".join(_shown(found[column]) for column in key if found.get(column) is not None)
    return _PRIVATE.sub("", name)[:_LONGEST_KEY] or "(without a key)"


def _shown(value: Any) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)
