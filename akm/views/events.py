"""The log: events filtered and in order."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from akm.store import events, runs, sql
from akm.store.database import Database, Transaction
from akm.store.events import EventFilters
from akm.views.json_columns import value

__all__ = ["EventFilters", "last_id", "log", "resumed_after"]


def log(db: Database, filters: EventFilters) -> tuple[list[dict[str, Any]], int]:
    """Read the newest matching events, oldest first, and the cursor to go on from.

    The cursor is the last event's id, or `filters.after` when nothing matched.
    """
    with db.read() as tx:
        rows = events.newest(tx, _narrowed(tx, filters))
    return [envelope(row) for row in rows], rows[-1].id if rows else filters.after


def _narrowed(tx: Transaction, filters: EventFilters) -> EventFilters:
    """Let an index find a run's events: they carry its ref, and its start is the first of them."""
    if filters.run_id is None or filters.ref is not None:
        return filters
    run = runs.head(tx, filters.run_id)
    if run is None:
        return filters
    started = events.once_id(tx, "workflow_started", filters.run_id) or 0
    return filters._replace(ref=run.workflow_ref, after=max(filters.after, started - 1))


def resumed_after(db: Database, run_id: str, unit_ids: Collection[str]) -> bool:
    """Tell whether a run was resumed since these units ended.

    The order of the events says so, because times can be equal and clocks step back.
    """
    with db.read() as tx:
        resumed = events.newest(tx, EventFilters(event_type="workflow_resumed", run_id=run_id, limit=1))
        if not resumed:
            return False
        wanted = EventFilters(after=resumed[0].id, event_type="workflow_unit_finished", run_id=run_id)
        later = events.newest(tx, _narrowed(tx, wanted))
    return not any(envelope(row).get("metadata", {}).get("unitId") in unit_ids for row in later)


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
