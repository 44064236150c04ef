"""Telling one process from a later one that was given its id."""

from __future__ import annotations

from pathlib import Path


def process_started_at(pid: int) -> int | None:
    """Return when a process started, in clock ticks since boot; None where the system does not tell."""
    try:
        return int(_stat(pid)[19])
    except (ValueError, IndexError):
        return None


def has_ended(pid: int) -> bool:
    """Tell whether a process has ended and is kept for its parent to notice; False where nobody tells."""
    return _stat(pid)[:1] in (["Z"], ["X"])


def _stat(pid: int) -> list[str]:
    """Read what the system tells of a process, from its state on; nothing where it does not."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return []
    # The name before it is in parentheses and may hold anything.
    return text.rpartition(")")[2].split()
