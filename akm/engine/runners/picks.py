"""Finding values in the JSON objects of an agent's output, by the picks of `akm.workflow.presets`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

Json = Mapping[str, Any]
#: What the ledger and every reader of JSON can hold.
LARGEST = 2**53


def found(pick: Json, events: Iterable[Any]) -> list[Any]:
    """Return the values that a pick means, in order."""
    values: list[Any] = []
    paths = [pick["at"]] if isinstance(pick["at"], str) else pick["at"]
    is_fresh = False
    for event in events:
        is_fresh = is_fresh or ("fresh" in pick and is_like(event, pick["fresh"]))
        here = _of(event, pick, paths)
        if here and is_fresh:
            values.clear()
            is_fresh = False
        values += here
    return values


def _of(event: Any, pick: Json, paths: Iterable[str]) -> list[Any]:
    if not is_like(event, pick.get("where", {})) or ("unless" in pick and is_like(event, pick["unless"])):
        return []
    return next((values for path in paths if (values := list(_at(event, path)))), [])


def is_like(event: Any, pattern: Json) -> bool:
    """Tell whether each path of a pattern leads to the value that stands with it."""
    return all(list(_at(event, path)) == [value] for path, value in pattern.items())


def _at(value: Any, path: str) -> Iterator[Any]:
    """Yield what is at the end of a path and not null; `*` leads to everything in an object or a list."""
    name, _, rest = path.partition(".")
    if name == "*":
        inner = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    else:
        inner = [value[name]] if isinstance(value, dict) and name in value else []
    for one in inner:
        if rest:
            yield from _at(one, rest)
        elif one is not None:
            yield one


def total(picks: Iterable[Json], events: list[Any]) -> float | None:
    """Add up what several picks find; None when none of them finds a number."""
    numbers: list[float] = []
    for pick in picks:
        amounts = [value for value in found(pick, events) if _is_amount(value)]
        numbers += amounts if pick.get("take") == "sum" else amounts[-1:]
    return sum(numbers) if numbers else None


def _is_amount(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= LARGEST
