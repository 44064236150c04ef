"""Identifiers: random ones for runs and dispatches, and the range that a prefix of one spans."""

from __future__ import annotations

import os
import re

_PREFIX = re.compile(r"[0-9a-f-]{4,36}\Z")


def new() -> str:
    """Return a random UUID (version 4) as text."""
    bits = int.from_bytes(os.urandom(16), "big") & ~(0xF << 76) & ~(0x3 << 62) | (4 << 76) | (2 << 62)
    digits = f"{bits:032x}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def is_prefix(text: str) -> bool:
    """Tell whether `text` has the shape of a run id or of its first 4 or more characters."""
    return _PREFIX.match(text) is not None


def prefix_end(prefix: str) -> str:
    """Return the smallest text above every text that starts with `prefix`, for range queries."""
    return prefix[:-1] + chr(ord(prefix[-1]) + 1)
