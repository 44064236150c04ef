"""Writing the registry cache: a good answer is put, renewed when it still holds, and cleared on request."""

from __future__ import annotations

from akm.store import registry_cache
from akm.store.database import Database


def put(
    db: Database,
    key: str,
    *,
    at: str,
    index_json: str,
    etag: str | None = None,
    last_modified: str | None = None,
) -> None:
    """Keep a good answer under `key` in place of the one before; validators not given are forgotten."""
    if not index_json.strip():
        raise ValueError("an empty body is no answer to keep")
    with db.immediate() as tx:
        registry_cache.put(tx, key, at=at, index_json=index_json, etag=etag, last_modified=last_modified)


def renew(db: Database, key: str, *, seen: str, at: str) -> bool:
    """Say that the answer fetched at `seen` was found to hold at `at`: body and validators stay.

    False when another answer has taken its place meanwhile, or it was cleared; nothing was written then.
    """
    with db.immediate() as tx:
        return registry_cache.renew(tx, key, seen=seen, at=at)


def clear(db: Database, *, key: str | None = None) -> int:
    """Forget the answer kept under `key`, or all of them; returns how many there were."""
    with db.immediate() as tx:
        return registry_cache.clear(tx, key)
