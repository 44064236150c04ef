"""Asking registries: one through the cache, or several at once. What is done with the answers is not here."""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from akm import clock
from akm.errors import NotFoundError
from akm.registry import client, outcome, urls
from akm.registry.answer import NOT_MODIFIED, Answer, Fetched, NotModified
from akm.registry.cached_fetch import fetch_cached_json
from akm.registry.client import Response, Validators
from akm.registry.outcome import Outcome
from akm.registry.provider import Request
from akm.registry.providers import PROVIDERS
from akm.registry.source import Source
from akm.store.database import Database

R = TypeVar("R")
OpenCache = Callable[[], AbstractContextManager[Database | None]]


@dataclass(frozen=True, slots=True)
class Access:
    """How registries are reached. `open_cache` gives None for a cache that cannot be used.

    With `offline` only the cache is read, whatever the age of what it holds; with `anew` every registry is
    asked whether what it gave before still holds.
    """

    open_cache: OpenCache
    now: Callable[[], str] = clock.now
    get: Callable[..., Response] = client.get
    offline: bool = False
    anew: bool = False


def ask(source: Source, query: str, limit: int, access: Access) -> Answer[Any]:
    """Ask one registry, through the cache. Raises what its client or its provider raises.

    Offline, raises NotFoundError REGISTRY_NOT_CACHED when nothing usable is kept.
    """
    provider = PROVIDERS[source.provider]
    request = provider.request(source, query, limit)
    answer: Answer[Any] = fetch_cached_json(
        access.open_cache,
        request.cache_key,
        ttl_ms=-math.inf if access.anew else request.ttl_ms,
        parse_cache=lambda text, is_stale: provider.read(
            text, source, origin="stale" if is_stale else "cache"
        ),
        fetch_fresh=lambda validators: _fetched(source, request, validators, access),
        now=access.now,
    )
    # Offline, an old answer is what was asked for.
    return replace(answer, warning=None) if access.offline else answer


def everywhere(
    sources: Sequence[Source], access: Access, act: Callable[[Source, Access], tuple[R, Outcome]]
) -> list[tuple[R | None, Outcome]]:
    """Do `act` with all sources at once; the answers stand in the order of `sources`.

    Whatever one raises is the failed outcome of that one, with None in place of its result.
    """
    shared = replace(access, open_cache=_one_at_a_time(access.open_cache))
    results: dict[int, tuple[R | None, Outcome]] = {}

    def work(number: int, source: Source) -> None:
        try:
            results[number] = act(source, shared)
        except Exception as error:
            results[number] = None, outcome.failed(source, error)

    # Daemons, so that an interrupt need not wait for a server.
    threads = [
        threading.Thread(target=work, args=one, name=f"registry-{one[0]}", daemon=True)
        for one in enumerate(sources)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [results[number] for number in range(len(sources))]


def _fetched(
    source: Source, request: Request, validators: Validators | None, access: Access
) -> Fetched[Any] | NotModified:
    if access.offline:
        raise NotFoundError(
            f"Nothing usable of {urls.shown(source.url)} is cached.",
            code="REGISTRY_NOT_CACHED",
            hint="Ask once while you are online.",
        )
    response = access.get(
        request.url,
        validators=validators,
        allow_private=source.allow_private,
        limits=replace(client.LIMITS, retries=request.retries),
    )
    if response.status == 304:
        return NOT_MODIFIED
    value = PROVIDERS[source.provider].read(response.text, source, origin="network")
    return Fetched(value, json.dumps(value), response.validators)


def _one_at_a_time(open_cache: OpenCache) -> OpenCache:
    """Let one thread open the database at a time, because the first may have to migrate it."""
    lock = threading.Lock()

    @contextmanager
    def opened() -> Iterator[Database | None]:
        with ExitStack() as stack:
            with lock:
                db = stack.enter_context(open_cache())
            yield db

    return opened
