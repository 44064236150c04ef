"""The log: events filtered and in order."""

from __future__ import annotations

from typing import Any

from akm.store import events, runs, sql
from akm.store.database import Database
from akm.store.events import EventFilters
from akm.views.json_columns import value

__all__ = ["EventFilters", "last_id", "log"]


def log(db: Database, filters: EventFilters) -> tuple[list[dict[str, Any]], int]:
    """Read the newest matching events, oldest first, and the cursor to go on from.

    The cursor is the last event's id, or `filters.after` when nothing matched.
    """
    with db.read() as tx:
        if filters.run_id is not None and filters.ref is None:
            # A run's events carry its ref and none is older than the run: an index finds them.
            run = runs.summary(tx, filters.run_id)
            if run is not None:
                since = max(filters.since or "", run.created_at)
                filters = filters._replace(ref=run.workflow_ref, since=since)
        rows = events.newest(tx, filters)
    return [envelope(row) for row in rows], rows[-1].id if rows else filters.after


def last_id(db: Database) -> int:
    """Return the newest event's id, 0 when there is none."""
    with db.read() as tx:
        return events.last_id(tx)


def envelope(row: sql.EventRow) -> dict[str, Any]:
    """Shape an event; an empty or damaged metadata is left out."""
    shown: dict[str, Any] = {
        "schemaVersion": 1,
        "id": row.id,
        "ts": row.ts,
        "eventType": row.event_type,
    }
    if row.ref is not None:
        shown["ref"] = row.ref
    metadata = value(row.metadata_json, "metadata_json", [])
    if isinstance(metadata, dict) and metadata:
        shown["metadata"] = metadata
    return shown
