"""Text of strangers made harmless for a terminal."""

from __future__ import annotations


def printable(text: str) -> str:
    """Return `text` without the control characters that would act on a terminal."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() or char in "\n\t" else "\N{REPLACEMENT CHARACTER}" for char in text
    )
