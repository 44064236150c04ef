"""Which ceilings of a budget do not allow what a dry run shows. Nothing is counted here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import inf
from typing import Any

from akm.spelling import counted

_CEILINGS = {"maxTokens": "tokens", "maxCost": "cost"}


def of(shown: Mapping[str, Any]) -> Iterator[str]:
    """Say of each ceiling that does not allow what is known to be left to do, in a sentence."""
    most, work = shown["budget"], [step.get("work", {}) for step in shown["steps"]]
    spent = most.get("spent", {"units": 0, "tokens": 0, "cost": None})
    new = sum(one.get("dispatch", 0) - one.get("reclaim", 0) for one in work)
    if spent["units"] + new > most.get("maxUnits", inf):
        left = counted(max(0, most["maxUnits"] - spent["units"]), "unit")
        yield f"The budget is too small: {counted(new, 'unit')} would be new, and maxUnits has {left} left."
    if any(one.get("dispatch") for one in work):
        used = [name for name, what in _CEILINGS.items() if (spent[what] or 0) >= most.get(name, inf)]
        yield from (f"The budget is used up: {name}." for name in used)
