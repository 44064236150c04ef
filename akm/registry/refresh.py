"""Fetch indexes now, whatever the age of what is cached of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from akm import clock
from akm.registry import client, listing
from akm.registry.asking import Access, OpenCache
from akm.registry.client import Response
from akm.registry.outcome import Outcome
from akm.registry.source import Source


def refresh(
    sources: Sequence[Source],
    *,
    open_cache: OpenCache,
    now: Callable[[], str] = clock.now,
    get: Callable[..., Response] = client.get,
) -> list[Outcome]:
    """Ask every registry with an index whether it has changed, and keep what it gives.

    One outcome each, in their order: `fresh` when the registry answered, also that nothing has changed, and
    `stale` when it did not and an older answer stays.
    """
    access = Access(open_cache, now, get, anew=True)
    return [end for _, end in listing.everything(sources, access)]
