"""The tokens that an answer says it took; what says nothing sensible counts as unknown."""

from __future__ import annotations

from typing import Any, NamedTuple

_MOST = 2**53


class Usage(NamedTuple):
    """Tokens, reasoning among the output; None where the server did not say."""

    input: int | None = None
    output: int | None = None
    total: int | None = None

    def plus(self, other: Usage) -> Usage:
        """Return what two requests took together."""
        return Usage(*(_sum(mine, its) for mine, its in zip(self, other, strict=True)))


def read(value: Any) -> Usage:
    """Read the member `usage` of an answer."""
    if not isinstance(value, dict):
        return Usage()
    asked, answered = _count(value.get("prompt_tokens")), _count(value.get("completion_tokens"))
    known = _sum(asked, answered)
    total = _count(value.get("total_tokens"))
    # Never less than its parts, because budgets are kept by it.
    return Usage(asked, answered, known if total is None else max(total, known or 0))


def _count(value: Any) -> int | None:
    return value if type(value) is int and 0 <= value < _MOST else None


def _sum(one: int | None, other: int | None) -> int | None:
    return one if other is None else other if one is None else one + other
