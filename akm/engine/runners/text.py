"""Cutting texts that people read to a length, with a mark where they are cut."""

from __future__ import annotations

#: Characters of a failed unit's output that are kept, and of its error output that are shown.
PARTIAL = 2000
STDERR_TAIL = 1500
NAME = 200


def clip(text: str, characters: int) -> str:
    """Return `text`, or its first `characters` and one `…` when it is longer."""
    return text if len(text) <= characters else text[:characters] + "…"
