"""Which failures are worth another attempt, and how long to wait before it."""

from __future__ import annotations

from datetime import UTC, datetime

from akm.errors import AkmError
from akm.registry.terms import Surroundings

_FIRST_SECONDS = 0.5
_LONGEST_SECONDS = 30.0


class Again(Exception):
    """An attempt failed in a way that the next one may not; `error` is what to raise after the last.

    `retry_after` is the header of that name as it came, None when there was none.
    """

    def __init__(self, error: AkmError, retry_after: str | None = None) -> None:
        super().__init__(error.message)
        self.error = error
        self.retry_after = retry_after


def wait_seconds(attempt: int, retry_after: str | None, surroundings: Surroundings) -> float:
    """Return how long to wait after attempt number `attempt`, counted from 0.

    What the server asks for goes first; without it the wait doubles, with jitter. 30 seconds at most.
    """
    asked = None if retry_after is None else _asked_seconds(retry_after, surroundings.wall_clock())
    if asked is not None:
        return min(max(asked, 0.0), _LONGEST_SECONDS)
    doubled = min(_FIRST_SECONDS * 2.0**attempt, _LONGEST_SECONDS)
    return doubled * (0.5 + 0.5 * surroundings.random())


def _asked_seconds(retry_after: str, now: float) -> float | None:
    """Read a number of seconds or an HTTP date; None for anything else."""
    text = retry_after.strip()
    if text.isascii() and text.isdigit():
        # Not int: it refuses the thousands of digits that a header may hold.
        return float(text)
    from email.utils import parsedate_to_datetime

    try:
        moment: datetime = parsedate_to_datetime(text)
        # The oldest form of the date names no zone and means UTC.
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() - now
    except (ValueError, OverflowError, OSError):
        return None
