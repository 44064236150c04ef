"""How registries answered, as lines for people on standard error, and cells that several tables share."""

from __future__ import annotations

from collections.abc import Sequence

from akm.cli import durations, output
from akm.registry.outcome import Outcome

_GOOD = ("fresh", "cached")
_LONGEST = 60


def report(outcomes: Sequence[Outcome]) -> None:
    """Say one line for each registry, unless all answered and nothing was left out of an answer."""
    if all(one.status in _GOOD and one.note is None for one in outcomes):
        return
    for one in outcomes:
        say = output.warn if one.warning else output.tell
        say(line(one))


def line(one: Outcome) -> str:
    """Write how one registry answered: the age of an old answer, the reason for none and its remedy."""
    age = "" if one.age_seconds is None else f", {durations.age(one.age_seconds)} old"
    reason = one.reason or ""
    place = "" if one.url in reason else f" ({one.url})"
    said = "; ".join(text.rstrip(".") for text in (reason, one.note) if text)
    hint = one.error.hint if one.error and one.error.hint else ""
    return f"registry {one.registry}{place}: {one.status}{age}{f': {said}.' if said else ''} {hint}".rstrip()


def ages(outcomes: Sequence[Outcome]) -> dict[str, str]:
    """Return how old each registry's answer is, by its name."""
    return {one.registry: durations.age(one.age_seconds) for one in outcomes}


def short(text: str) -> str:
    """Cut a description to what a table has room for."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1].rstrip()}…"
