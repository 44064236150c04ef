"""Replacing secret values by a mark before anything is journalled. Which are secret is decided elsewhere."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable
from typing import Any

MARK = "[REDACTED]"
#: Shorter values stand in too many innocent places to be replaced.
SHORTEST = 8


class Redaction:
    """A set of secret values. `left` counts those that are kept: too short, or a word that rows need."""

    __slots__ = ("_pattern", "_values", "left")

    def __init__(self, values: Iterable[str] = (), *, spared: Collection[str] = ()) -> None:
        given = {value for value in values if value}
        kept = {value for value in given if len(value) >= SHORTEST and value not in spared}
        self.left = len(given) - len(kept)
        spellings = {spelling for value in kept for spelling in _spellings(value)}
        # Longest first, so that a secret that holds another one goes as a whole.
        self._values = tuple(sorted(spellings, key=lambda value: (-len(value), value)))
        self._pattern = re.compile("|".join(map(re.escape, self._values))) if self._values else None

    @property
    def is_empty(self) -> bool:
        """Tell whether there is nothing to replace."""
        return self._pattern is None

    def text(self, text: str, *, is_cut: bool = False) -> str:
        """Return `text` with every secret replaced; `is_cut`: its end may hold the beginning of one."""
        if self._pattern is None:
            return text
        replaced = self._pattern.sub(MARK, text)
        return self._without_beginning(replaced) if is_cut else replaced

    def value(self, value: Any) -> Any:
        """Return a JSON value with every secret in its texts and keys replaced."""
        if self._pattern is None:
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.value(key): self.value(item) for key, item in value.items()}
        return [self.value(item) for item in value] if isinstance(value, list | tuple) else value

    def _without_beginning(self, text: str) -> str:
        longest = 0
        for value in self._values:
            for length in range(min(len(value) - 1, len(text)), longest, -1):
                if text.endswith(value[:length]):
                    longest = length
                    break
        return text[: len(text) - longest] + MARK if longest >= SHORTEST else text


def _spellings(value: str) -> set[str]:
    """Return a value as it is and as JSON writes it, for output that quotes it."""
    return {value, json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]}


NOTHING = Redaction()
