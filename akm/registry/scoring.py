"""How well a text query fits an entry, and how scores are ranked and put on one scale. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")
#: Weight when a field equals the word, and when it only contains it.
_NAME = (1.0, 0.6)
_TAG = (0.5, 0.25)
_TYPE = (0.4, 0.2)
_DESCRIPTION = 0.2
_AUTHOR = 0.15
DECIMALS = 3


def words(query: str) -> list[str]:
    """Return the words of a query as they are compared: in small letters."""
    return query.lower().split()


def score(
    wanted: Sequence[str],
    *,
    name: str,
    tags: Iterable[str] = (),
    description: str = "",
    author: str = "",
    type: str | None = None,
) -> float:
    """Return the mean over the wanted words of what each finds in the fields; 0 when none finds anything.

    `type` is None for what has none: only assets are scored by it.
    """
    if not wanted:
        return 0.0
    name, description, author = name.lower(), description.lower(), author.lower()
    lower_tags, lower_type = [tag.lower() for tag in tags], [type.lower()] if type is not None else []
    total = 0.0
    for word in wanted:
        total += _weight(word, [name], _NAME)
        total += _weight(word, lower_tags, _TAG)
        total += _DESCRIPTION if word in description else 0.0
        total += _AUTHOR if word in author else 0.0
        total += _weight(word, lower_type, _TYPE)
    return total / len(wanted)


def ranked(scored: Iterable[tuple[float, T]], limit: int) -> list[tuple[float, T]]:
    """Return the best with a score above 0, best first, equal ones in their order; rounded after sorting."""
    kept = sorted((pair for pair in scored if pair[0] > 0), key=lambda pair: -pair[0])
    return [(round(value, DECIMALS), item) for value, item in kept[:limit]]


def scaled(scores: Sequence[float]) -> list[float]:
    """Put one registry's scores on the scale from 0 to 1.

    Equal ones are divided by their maximum. Scores of which none is above 0 stay as they are.
    """
    if not scores or max(scores) <= 0:
        return list(scores)
    low, high = min(scores), max(scores)
    if low == high:
        return [value / high for value in scores]
    return [(value - low) / (high - low) for value in scores]


def merged(
    lists: Iterable[Sequence[T]], limit: int, *, of: Callable[[T], float], rescored: Callable[[T, float], T]
) -> list[T]:
    """Merge several registries' lists on one scale, best first, equal ones in their order; cut, then rounded.

    `of` reads a score, `rescored` makes the same item with another one.
    """
    everything = [
        rescored(item, value)
        for found in lists
        for item, value in zip(found, scaled([of(item) for item in found]), strict=True)
    ]
    best = sorted(everything, key=of, reverse=True)[:limit]
    return [rescored(item, round(of(item), DECIMALS)) for item in best]


def _weight(word: str, texts: Sequence[str], weights: tuple[float, float]) -> float:
    equal, contained = weights
    if word in texts:
        return equal
    return contained if any(word in text for text in texts) else 0.0
