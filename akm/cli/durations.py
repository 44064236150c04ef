"""Durations and moments as people write them on the command line."""

from __future__ import annotations

import re

from akm import clock
from akm.errors import UsageError

_TIMEOUT = re.compile(r"([0-9]{1,10})(ms|s|m)?\Z", re.IGNORECASE)
_MILLISECONDS = {"ms": 1, "s": 1000, "m": 60_000}
_AGO = re.compile(r"([0-9]{1,6})(s|m|h|d)\Z")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_AGES = ((86_400, "d"), (3600, "h"), (60, "min"), (1, "s"))
_LONGEST_MS = 2_147_483_647
# Within these, years have four digits, so that timestamps compare as texts.
_EARLIEST, _LATEST = 0.0, 253_402_300_799.0
# Fewer would be a moment of the early seventies: an age without its unit, or seconds, and no milliseconds.
_FEWEST_DIGITS = 12


def milliseconds(text: str, flag: str) -> int:
    """Read a timeout such as `90s`, `10m` or `500` (milliseconds). Raises UsageError naming `flag`."""
    match = _TIMEOUT.match(text.strip())
    value = int(match[1]) * _MILLISECONDS[(match[2] or "ms").lower()] if match else 0
    if not 0 < value <= _LONGEST_MS:
        raise UsageError(f"{flag} needs a time such as 90s, 10m or 500ms.")
    return value


def moment(text: str, flag: str, now: float) -> str:
    """Read a moment: ISO 8601 (UTC unless it has an offset), epoch milliseconds, or an age such as `1h`.

    Returns a timestamp. Raises UsageError naming `flag`.
    """
    try:
        return clock.stamp(min(_LATEST, max(_EARLIEST, _seconds(text, now))))
    except (ValueError, OverflowError, OSError):
        raise UsageError(
            f"{flag} needs a time such as 2026-11-01T01:30Z, epoch milliseconds, or an age such as 1h or 90d."
        ) from None


def age(seconds: float | None) -> str:
    """Write an age for people in its largest unit, such as `3 h`; None, like less than a second, is `now`."""
    if seconds is None or seconds < 1:
        return "now"
    size, unit = next(one for one in _AGES if seconds >= one[0])
    return f"{int(seconds // size)} {unit}"


def _seconds(text: str, now: float) -> float:
    if match := _AGO.match(text):
        return now - int(match[1]) * _SECONDS[match[2]]
    if not (text.isascii() and text.isdigit()):
        return clock.seconds(text)
    if text != "0" and len(text) < _FEWEST_DIGITS:
        raise ValueError("no unit")
    return int(text) / 1000
