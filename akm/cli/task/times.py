"""Moments and durations as people read them, shared by the verbs that show what ran."""

from __future__ import annotations

from datetime import datetime

from akm import clock


def local(stamp: str) -> str:
    """Write a timestamp in local time, with the offset that tells the two hours of a change apart."""
    try:
        return datetime.fromtimestamp(clock.seconds(stamp)).astimezone().strftime("%Y-%m-%d %H:%M:%S %z")
    except (ValueError, OverflowError, OSError):
        return stamp


def took(milliseconds: float) -> str:
    """Write a duration in its two greatest units."""
    seconds = milliseconds / 1000
    if seconds < 60:
        return f"{seconds:.1f}s"
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}m {rest}s" if minutes < 60 else f"{minutes // 60}h {minutes % 60}m"
