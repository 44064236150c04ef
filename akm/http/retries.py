"""How long to wait before the next attempt. Which failures deserve one is decided by whoever asks."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

_FIRST_SECONDS = 0.5
_LONGEST_SECONDS = 30.0


def wait_seconds(
    attempt: int, retry_after: str | None, *, wall_clock: Callable[[], float], random: Callable[[], float]
) -> float:
    """Return how long to wait after attempt number `attempt`, counted from 0.

    What the server asks for goes first (`retry_after` is the header as it came); without it the wait
    doubles, with jitter. 30 seconds at most.
    """
    asked = None if retry_after is None else _asked_seconds(retry_after, wall_clock())
    if asked is not None:
        return min(max(asked, 0.0), _LONGEST_SECONDS)
    doubled = min(_FIRST_SECONDS * 2.0**attempt, _LONGEST_SECONDS)
    return doubled * (0.5 + 0.5 * random())


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
