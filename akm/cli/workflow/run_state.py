"""The word for the state of a run or a child, as people read it."""

from __future__ import annotations

from typing import Any


def word(run: dict[str, Any]) -> str:
    """Name the state; of an active run that nobody drives, whether its driver was killed amid its units."""
    if not run.get("interrupted"):
        return str(run["status"])
    return "interrupted" if run["attemptsOpen"] else "paused"
