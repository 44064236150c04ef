"""Statements about the registry cache."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Integer, LargeBinary, bindparam, cast, delete, func, select, update
from sqlalchemy.dialects import sqlite

from akm.models import RegistryIndexCache
from akm.store.statements import Written

cache = RegistryIndexCache.__table__  # type: ignore[attr-defined]
c = cache.c
THIS = c.registry_url == bindparam("registry_url")
# In bytes, because the length of a text stops at a NUL and counts characters.
SIZE = func.length(cast(c.index_json, LargeBinary), type_=Integer)


def put() -> Any:
    """Insert a row, or give the one of this key all its values anew."""
    inserted = sqlite.insert(cache).values({column.name: bindparam(column.name) for column in c})
    values = {column.name: inserted.excluded[column.name] for column in c if not column.primary_key}
    return inserted.on_conflict_do_update(index_elements=[c.registry_url], set_=values)


STATEMENTS = [
    Written("CACHE_PUT", put()),
    Written(
        "CACHE_RENEW",
        update(cache).where(THIS, c.fetched_at == bindparam("seen")).values(fetched_at=bindparam("at")),
    ),
    Written("CACHE_ROW", select(*c).where(THIS), "CacheRow"),
    Written(
        "CACHE_ENTRIES",
        select(c.registry_url, c.fetched_at, c.etag, c.last_modified, SIZE.label("size")).order_by(
            c.fetched_at.desc(), c.registry_url
        ),
        "CacheEntry",
    ),
    Written("CACHE_DROP", delete(cache).where(THIS)),
    Written("CACHE_CLEAR", delete(cache)),
]
