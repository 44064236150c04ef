"""What a provider is: the module that knows one kind of registry. The table of them is `providers`'s."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol, runtime_checkable

from akm.registry.hit import AssetHit, Found, Hit
from akm.registry.source import Source

#: Where a text to be read comes from: the registry itself, the cache within its time, the cache past it.
Origin = Literal["network", "cache", "stale"]


@dataclass(frozen=True, slots=True)
class Request:
    """What is fetched for a query, and how its answer is cached."""

    url: str
    cache_key: str
    ttl_ms: int
    retries: int = 2


class Listed(NamedTuple):
    """One bundle of an index with everything in it, unscored."""

    hit: Hit
    assets: list[AssetHit]


class Provider(Protocol):
    """Three functions over one value, which is plain JSON data of the provider's own shape."""

    def request(self, source: Source, query: str, limit: int) -> Request:
        """Say what to fetch for a query."""

    def read(self, text: str, source: Source, *, origin: Origin) -> Any:
        """Read an answer, or the JSON of a value read before, as the value.

        Raises ResponseError when it is of no use, and returns `answer.UNUSABLE` for a
        cached text that is to be ignored rather than complained about.
        """

    def hits(self, value: Any, source: Source, query: str, *, limit: int, assets: bool) -> Found:
        """Find what the value holds for a query, best first; assets only where they are asked for."""


@runtime_checkable
class IndexProvider(Provider, Protocol):
    """A provider whose one answer holds all of its registry, whatever the query.

    Such a registry can be refreshed, and a bundle looked up in it.
    """

    def listed(self, value: Any, source: Source) -> list[Listed]:
        """List every bundle of the value, in its order."""
