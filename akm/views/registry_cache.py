"""The registry cache as searches and people read it. A row whose time cannot be read counts as absent."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from akm import clock
from akm.store import registry_cache
from akm.store.database import Database


class Kept(NamedTuple):
    """A kept answer. `age_ms` is negative for one from the future, of a clock that was set back."""

    key: str
    fetched_at: str
    etag: str | None
    last_modified: str | None
    index_json: str
    age_ms: int

    def is_within(self, max_age_ms: float) -> bool:
        """Tell whether it is no older than this; an age of exactly this is not older."""
        return self.age_ms <= max_age_ms


def get(db: Database, key: str, *, at: str, max_age_ms: float = math.inf) -> Kept | None:
    """Read what is kept under `key`; None when there is nothing, or it is older than `max_age_ms` at `at`."""
    with db.read() as tx:
        row = registry_cache.row(tx, key)
    age_ms = None if row is None else _age_ms(row.fetched_at, at)
    if row is None or age_ms is None:
        return None
    kept = Kept(*row, age_ms)
    return kept if kept.is_within(max_age_ms) else None


def entries(db: Database, *, at: str) -> list[dict[str, Any]]:
    """List what is kept, the newest first.

    `ageSeconds` is null for a time that cannot be read; `size` is the body's, in bytes.
    """
    with db.read() as tx:
        rows = registry_cache.entries(tx)
    return [
        {
            "key": row.registry_url,
            "fetchedAt": row.fetched_at,
            "ageSeconds": None if (age_ms := _age_ms(row.fetched_at, at)) is None else max(0, age_ms) // 1000,
            "etag": row.etag,
            "lastModified": row.last_modified,
            "size": row.size,
        }
        for row in rows
    ]


def _age_ms(fetched_at: str, at: str) -> int | None:
    """Count in whole milliseconds, because an age of exactly the limit must not fail by a rounding error."""
    try:
        fetched = clock.seconds(fetched_at)
    except ValueError:
        return None
    return round(clock.seconds(at) * 1000) - round(fetched * 1000)
