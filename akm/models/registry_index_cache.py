"""The registry cache: one row per registry or query, with the validators of its last answer."""

from __future__ import annotations

from sqlalchemy import Index
from sqlmodel import SQLModel

from akm.models.columns import text


class RegistryIndexCache(SQLModel, table=True):
    """The last good answer of one registry. `registry_url` is a cache key, not always a URL."""

    __tablename__ = "registry_index_cache"
    __table_args__ = (Index("idx_registry_cache_fetched", "fetched_at"),)

    registry_url: str = text(primary_key=True)
    fetched_at: str = text()
    etag: str | None = text(default=None)
    last_modified: str | None = text(default=None)
    index_json: str = text(default="{}", sa_column_kwargs={"server_default": "{}"})
