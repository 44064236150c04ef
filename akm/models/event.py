"""Events: what happened, in order, as ids, statuses and counts only; never prose, results or titles."""

from __future__ import annotations

from sqlalchemy import Column, Index, Text
from sqlmodel import SQLModel

from akm.models.columns import number, text


class Event(SQLModel, table=True):
    """One thing that happened. `id` only ever grows, so it serves readers as a cursor."""

    __tablename__ = "events"
    __table_args__ = (
        Index("idx_events_type", "event_type"),
        Index("idx_events_ref", "ref"),
        Index("idx_events_ts", "ts"),
        # Partial, so that the many events without a key pay for no index entry.
        Index(
            "idx_events_idempotency_key",
            "idempotency_key",
            unique=True,
            sqlite_where=Column("idempotency_key", Text).is_not(None),
        ),
        {"sqlite_autoincrement": True},
    )

    id: int | None = number(default=None, primary_key=True)
    event_type: str = text()
    ts: str = text()
    ref: str | None = text(default=None)
    idempotency_key: str | None = text(default=None)
    metadata_json: str = text(default="{}", sa_column_kwargs={"server_default": "{}"})
