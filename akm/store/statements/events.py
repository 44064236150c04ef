"""Statements about events."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, and_, bindparam, case, func, insert, null, or_, select, update
from sqlalchemy.dialects import sqlite

from akm.models import Event
from akm.store.statements import Written, at_most, fixed, in_bundle, moved, word

events = Event.__table__  # type: ignore[attr-defined]
c = events.c
SHOWN = (c.id, c.event_type, c.ts, c.ref, c.metadata_json)
VALUES: dict[str, Any] = {name: bindparam(name) for name in ("event_type", "ts", "ref", "metadata_json")}


def optional(name: str, condition: ColumnElement[bool]) -> ColumnElement[bool]:
    """Apply `condition` only when the parameter `name` is given."""
    return or_(bindparam(name).is_(None), condition)


# Guarded, because json_extract fails on a damaged row and would take the whole log with it.
of_run: ColumnElement[str] = case(
    (func.json_valid(c.metadata_json) == fixed(1), func.json_extract(c.metadata_json, word("$.runId")))
)
FILTERS = and_(
    c.id > bindparam("after"),
    optional("since", c.ts >= bindparam("since")),
    optional("event_type", c.event_type == bindparam("event_type")),
    optional("ref", c.ref == bindparam("ref")),
    optional("run_id", of_run == bindparam("run_id")),
)


def newest(*conditions: ColumnElement[bool]) -> Any:
    """Select the newest matching events, newest first."""
    return at_most(select(*SHOWN).where(*conditions, FILTERS).order_by(c.id.desc()), bindparam("limit"))


STATEMENTS = [
    Written("EVENT_INSERT", insert(events).values(VALUES)),
    Written(
        "EVENT_INSERT_ONCE",
        sqlite.insert(events)
        .values(**VALUES, idempotency_key=bindparam("idempotency_key"))
        .on_conflict_do_nothing(
            index_elements=["idempotency_key"], index_where=c.idempotency_key.is_not(None)
        ),
    ),
    Written(
        "EVENT_BY_KEY",
        select(c.id).where(c.idempotency_key == bindparam("idempotency_key")),
        "EventId",
    ),
    Written(
        "EVENT_RELEASE_KEY",
        update(events)
        .where(c.idempotency_key == bindparam("idempotency_key"))
        .values(idempotency_key=null()),
    ),
    Written("EVENTS_RENAME_REFS", update(events).where(*in_bundle(c.ref)).values(ref=moved(c.ref))),
    Written(
        "EVENTS_OF_BUNDLE",
        select(func.count().label("rows")).select_from(events).where(*in_bundle(c.ref)),
        "EventCount",
    ),
    # One plan per index: a condition that may be absent cannot choose one.
    Written("EVENTS_ANY", newest(), "EventRow"),
    Written("EVENTS_OF_REF", newest(c.ref == bindparam("ref")), "EventRow"),
    Written("EVENTS_OF_TYPE", newest(c.event_type == bindparam("event_type")), "EventRow"),
    Written("EVENTS_LAST_ID", select(func.coalesce(func.max(c.id), fixed(0)).label("id")), "EventId"),
]
