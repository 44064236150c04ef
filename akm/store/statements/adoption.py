"""Statements that copy whole rows of an akm-cli database, and leave alone what is there already."""

from __future__ import annotations

from typing import Any

from sqlalchemy import bindparam, case, exists, insert, literal_column, null, select
from sqlalchemy.dialects import sqlite

from akm.models import Event, RegistryIndexCache, TaskHistory, WorkflowRun, WorkflowRunStep
from akm.models import WorkflowRunUnit as Unit
from akm.models import WorkflowRunUnitAttempt as Attempt
from akm.store.statements import Written

events = Event.__table__  # type: ignore[attr-defined]
cache = RegistryIndexCache.__table__  # type: ignore[attr-defined]
history = TaskHistory.__table__  # type: ignore[attr-defined]
c = events.c


def whole(table: Any) -> Any:
    """Insert a row with every column of the table."""
    return sqlite.insert(table).values({column.name: bindparam(column.name) for column in table.c})


def unless_there(model: Any) -> Any:
    """Insert a whole row, or change nothing when one of its key exists."""
    return whole(model.__table__).on_conflict_do_nothing()


# By time alone, which hardly two events share: the index of types would be walked from end to end.
SAME_TYPE = literal_column("+events.event_type") == bindparam("event_type")
SAME_REF = literal_column("+events.ref").op("IS")(bindparam("ref"))
SAME = exists().where(
    c.ts == bindparam("ts"), SAME_TYPE, SAME_REF, c.metadata_json == bindparam("metadata_json")
)
KEY: Any = bindparam("idempotency_key")
FREE_KEY = case((exists().where(c.idempotency_key == KEY), null()), else_=KEY)
PLAIN = ("event_type", "ts", "ref", "metadata_json")
EVENT: Any = select(*(bindparam(name) for name in PLAIN), FREE_KEY).where(~SAME)

# Asked first, because a row that is refused for its key would use an id up all the same.
HELD = [column.name for column in history.c if column.name != "id"]
SAME_START = exists().where(
    history.c.task_id == bindparam("task_id"), history.c.started_at == bindparam("started_at")
)
HISTORY: Any = select(*(bindparam(name) for name in HELD)).where(~SAME_START)

CACHED = whole(cache)
FRESHER = CACHED.on_conflict_do_update(
    index_elements=["registry_url"],
    set_={column.name: CACHED.excluded[column.name] for column in cache.c if not column.primary_key},
    where=CACHED.excluded.fetched_at > cache.c.fetched_at,
)

STATEMENTS = [
    Written("RUN_ADOPT", unless_there(WorkflowRun)),
    Written("STEP_ADOPT", unless_there(WorkflowRunStep)),
    Written("UNIT_ADOPT", unless_there(Unit)),
    Written("ATTEMPT_ADOPT", unless_there(Attempt)),
    Written("EVENT_ADOPT", insert(events).from_select([*PLAIN, "idempotency_key"], EVENT)),
    Written("TASK_ADOPT", insert(history).from_select(HELD, HISTORY)),
    Written("CACHE_ADOPT", FRESHER),
]
