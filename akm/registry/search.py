"""Search in several registries at once: one ranked list, and how each registry answered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from akm import clock
from akm.registry import asking, client, outcome, scoring
from akm.registry.asking import Access, OpenCache
from akm.registry.client import Response
from akm.registry.hit import AssetHit, Found, Hit
from akm.registry.outcome import Outcome
from akm.registry.providers import PROVIDERS
from akm.registry.source import Source
from akm.spelling import counted

T = TypeVar("T", Hit, AssetHit)
DEFAULT_LIMIT: Final = 20
MAX_LIMIT: Final = 100


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What was found, best first, and one outcome per registry in the order in which they were given."""

    hits: tuple[Hit, ...] = ()
    asset_hits: tuple[AssetHit, ...] = ()
    outcomes: tuple[Outcome, ...] = ()

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return one sentence for each registry that a person should know something about."""
        return outcome.warnings(self.outcomes)

    @property
    def exit_status(self) -> int:
        """Return 1 when every registry failed, whatever the reasons, and 0 otherwise."""
        return int(outcome.failure(self.outcomes) is not None)

    def as_json(self) -> dict[str, Any]:
        """Return the result's JSON."""
        return {
            "hits": [hit.as_json() for hit in self.hits],
            "assetHits": [hit.as_json() for hit in self.asset_hits],
            "registries": [one.as_json() for one in self.outcomes],
            "warnings": list(self.warnings),
        }


def search(
    query: str,
    *,
    sources: Sequence[Source],
    open_cache: OpenCache,
    limit: float | None = None,
    assets: bool = False,
    offline: bool = False,
    now: Callable[[], str] = clock.now,
    get: Callable[..., Response] = client.get,
) -> SearchResult:
    """Search all `sources`, enabled or not; assets only where asked for. A blank query finds nothing.

    `limit` is 20 when it is None, 0 or no number, and kept between 1 and 100. Offline, only what is cached
    is searched. A registry that fails is told in its outcome and stops nothing.
    """
    wanted = query.strip()
    if not wanted:
        return SearchResult()
    count = bounded(limit)

    def one(source: Source, access: Access) -> tuple[Found, Outcome]:
        answer = asking.ask(source, wanted, count, access)
        found = PROVIDERS[source.provider].hits(answer.value, source, wanted, limit=count, assets=assets)
        kept = _complete(found)
        return kept, outcome.answered(source, answer, count=len(kept.hits), note=kept.note)

    ended = asking.everywhere(sources, Access(open_cache, now, get, offline), one)
    answers = [found for found, _ in ended if found is not None]
    return SearchResult(
        hits=tuple(scoring.merged([found.hits for found in answers], count, of=_score, rescored=_rescored)),
        asset_hits=tuple(
            scoring.merged([found.assets for found in answers], count, of=_score, rescored=_rescored)
        ),
        outcomes=tuple(end for _, end in ended),
    )


def bounded(limit: float | None) -> int:
    """Return how many hits `limit` means."""
    if limit is None or limit != limit or limit == 0:
        return DEFAULT_LIMIT
    return int(max(1, min(MAX_LIMIT, limit)))


def _complete(found: Found) -> Found:
    """Leave out hits that say too little, and say how many."""
    hits = [hit for hit in found.hits if hit.is_complete]
    assets = [hit for hit in found.assets if hit.is_complete]
    dropped = len(found.hits) - len(hits) + len(found.assets) - len(assets)
    said = f"{counted(dropped, 'incomplete hit')} left out" if dropped else None
    return Found(hits, assets, "; ".join(text for text in (found.note, said) if text) or None)


def _score(hit: Hit | AssetHit) -> float:
    return hit.score


def _rescored(hit: T, score: float) -> T:
    return replace(hit, score=score)
