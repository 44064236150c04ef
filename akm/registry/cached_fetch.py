"""An answer from the registry cache while it is young, from the network when it is not, and an old one
rather than none. What an answer means is for its provider; how it is fetched, for the client.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from akm import clock
from akm.errors import ResponseError
from akm.registry import urls
from akm.registry.answer import NOT_MODIFIED, UNUSABLE, Answer, Fetched, NotModified, Unusable
from akm.registry.cache import tolerated
from akm.registry.client import Validators
from akm.services import registry_cache
from akm.spelling import counted
from akm.store.database import Database
from akm.views import registry_cache as cached
from akm.views.registry_cache import Kept

__all__ = ["NOT_MODIFIED", "UNUSABLE", "Answer", "Fetched", "NotModified", "Unusable", "fetch_cached_json"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Confirmed(Generic[T]):
    """The value of the kept answer, of which the server says that it still holds."""

    value: T
    kept: Kept


@dataclass(frozen=True, slots=True)
class _Lookup(Generic[T]):
    """The arguments of `fetch_cached_json` on their way through its steps."""

    open_cache: Callable[[], AbstractContextManager[Database | None]]
    key: str
    parse: Callable[[str, bool], T | Unusable]
    fetch: Callable[[Validators | None], Fetched[T] | NotModified]
    now: Callable[[], str]


def fetch_cached_json(
    open_cache: Callable[[], AbstractContextManager[Database | None]],
    key: str,
    *,
    ttl_ms: float,
    parse_cache: Callable[[str, bool], T | Unusable],
    fetch_fresh: Callable[[Validators | None], Fetched[T] | NotModified],
    now: Callable[[], str] = clock.now,
) -> Answer[T]:
    """Return what is kept under `key` for up to `ttl_ms`, else what the network gives, else what is kept.

    `open_cache` gives None for a database that is no use: then the network alone answers.
    `parse_cache(text, is_stale)` returns the value or `UNUSABLE`; `is_stale` asks whether the text will do
    although it should have been fetched anew. What it raises about a young answer is raised.
    `fetch_fresh(validators)` asks the network, given validators only for what has changed since. It must
    raise for every answer that is not to be kept. When it raises and nothing kept will do, so does this.
    An endless `ttl_ms` takes what is kept at any age; minus infinity always asks the network.
    """
    lookup = _Lookup(open_cache, key, parse_cache, fetch_fresh, now)
    kept = _read(lookup)
    young = kept if kept is not None and kept.is_within(ttl_ms) else None
    if young is not None and (value := parse_cache(young.index_json, False)) is not UNUSABLE:
        return _kept_answer(value, young, "cached")
    try:
        # The body of a young one has just proved to be no use: its validators would only get a 304.
        found = _ask(lookup, kept if young is None else None)
    except Exception as error:
        answer = _after_failure(lookup, young, error)
        if answer is None:
            raise
        return answer
    at = now()
    _keep(lookup, found, at)
    return Answer(found.value, "fresh", None, None, at)


def _read(lookup: _Lookup[T]) -> Kept | None:
    with tolerated(), lookup.open_cache() as db:
        if db is not None:
            return cached.get(db, lookup.key, at=lookup.now())
    return None


def _ask(lookup: _Lookup[T], old: Kept | None) -> Fetched[T] | _Confirmed[T]:
    """Fetch, with the validators of `old` if it has any; without them when a 304 finds it to be no use."""
    validators = _validators(old)
    answer = lookup.fetch(validators)
    if answer is NOT_MODIFIED and old is not None and validators is not None:
        value = _parsed(lookup, old, is_stale=False)
        if value is not UNUSABLE:
            return _Confirmed(value, old)
    if answer is NOT_MODIFIED:
        answer = lookup.fetch(None)
    if answer is NOT_MODIFIED:
        raise ResponseError(
            "The registry answered 304 Not Modified to a request without conditions; "
            "check the server, or the proxy before it."
        )
    return answer


def _validators(old: Kept | None) -> Validators | None:
    if old is None or (old.etag is None and old.last_modified is None):
        return None
    return Validators(old.etag, old.last_modified)


def _after_failure(lookup: _Lookup[T], young: Kept | None, error: Exception) -> Answer[T] | None:
    """Find a kept answer that will do after all; None when there is none."""
    if young is not None and (value := lookup.parse(young.index_json, True)) is not UNUSABLE:
        return _kept_answer(value, young, "cached")
    kept = _read(lookup)
    if kept is None or (value := _parsed(lookup, kept, is_stale=True)) is UNUSABLE:
        return None
    reason = urls.redacted(str(error) or type(error).__name__).rstrip(".")
    return _kept_answer(
        value,
        kept,
        "stale",
        f"fetch failed ({reason}); serving the last cached index, past its refresh interval "
        f"(fetched {_ago(kept.age_ms)})",
    )


def _parsed(lookup: _Lookup[T], kept: Kept, *, is_stale: bool) -> T | Unusable:
    """Parse, and take a body that cannot be parsed for one that is no use."""
    try:
        return lookup.parse(kept.index_json, is_stale)
    except Exception:
        return UNUSABLE


def _keep(lookup: _Lookup[T], found: Fetched[T] | _Confirmed[T], at: str) -> None:
    with tolerated(), lookup.open_cache() as db:
        if db is None:
            return
        if isinstance(found, _Confirmed):
            registry_cache.renew(db, lookup.key, seen=found.kept.fetched_at, at=at)
            return
        validators = found.validators
        registry_cache.put(
            db,
            lookup.key,
            at=at,
            index_json=found.cache_json,
            etag=validators.etag,
            last_modified=validators.last_modified,
        )


def _kept_answer(
    value: T, kept: Kept, outcome: Literal["cached", "stale"], warning: str | None = None
) -> Answer[T]:
    return Answer(value, outcome, max(0, kept.age_ms) / 1000, warning, kept.fetched_at)


def _ago(age_ms: int) -> str:
    seconds = max(0, age_ms) // 1000
    size, unit = next((one for one in _UNITS if seconds >= one[0]), _UNITS[-1])
    count = seconds // size
    return f"{counted(count, unit)} ago"


_UNITS = ((86_400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))
