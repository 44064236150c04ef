"""The one place that reads the time of day and writes it as text.

A timestamp is UTC text with exactly three millisecond digits and `Z`, so that texts compare as times do.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime


def now() -> str:
    """Return the present moment, such as `2026-12-02T08:30:00.125Z`."""
    return stamp(time.time())


def stamp(seconds: float) -> str:
    """Write `seconds` since 1970 as a timestamp; parts of a millisecond are cut off."""
    # A whole millisecond has no exact double: without the margin one in a hundred would come out one too low.
    whole, millis = divmod(int(seconds * 1000 + 0.05), 1000)
    moment = time.gmtime(whole)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', moment)}.{millis:03d}Z"


def seconds(text: str) -> float:
    """Read a timestamp back as seconds since 1970. Raises ValueError when it is none."""
    moment = datetime.fromisoformat(text)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
