"""Rows of `registry_index_cache`. How old a row may be, and what its body means, is for others to say."""

from __future__ import annotations

from akm.store import sql
from akm.store.database import Transaction


def put(
    tx: Transaction, key: str, *, at: str, index_json: str, etag: str | None, last_modified: str | None
) -> None:
    """Write the row of `key`; one that is there is replaced in all its values."""
    tx.run(
        sql.CACHE_PUT,
        registry_url=key,
        fetched_at=at,
        etag=etag,
        last_modified=last_modified,
        index_json=index_json,
    )


def renew(tx: Transaction, key: str, *, seen: str, at: str) -> bool:
    """Move the time of the row of `key`; False when it is not the one fetched at `seen` any more."""
    return tx.run(sql.CACHE_RENEW, registry_url=key, seen=seen, at=at) == 1


def row(tx: Transaction, key: str) -> sql.CacheRow | None:
    """Read the row of `key`; None when there is none."""
    return tx.one(sql.CACHE_ROW, registry_url=key)


def entries(tx: Transaction) -> list[sql.CacheEntry]:
    """Read every row without its body, the newest first. `size` is the body's, in bytes."""
    return tx.all(sql.CACHE_ENTRIES)


def clear(tx: Transaction, key: str | None) -> int:
    """Delete the row of `key`, or every row when it is None; returns how many there were."""
    return tx.run(sql.CACHE_CLEAR) if key is None else tx.run(sql.CACHE_DROP, registry_url=key)
