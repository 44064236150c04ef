"""The nearest known name to a misspelt one, for messages that suggest what was meant."""

from __future__ import annotations

from collections.abc import Iterable


def closest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that `name` was probably meant to be; None when nothing is near."""
    import difflib

    spelled = {candidate.lower(): candidate for candidate in known}
    found = difflib.get_close_matches(name.lower(), spelled, n=1, cutoff=0.6)
    return spelled[found[0]] if found else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return ` Did you mean "..."?`, or nothing when no known name is near."""
    found = closest(name, known)
    return f' Did you mean "{found}"?' if found else ""
