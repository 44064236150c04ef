"""Statements about the task history."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, and_, bindparam, case, delete, func, null, or_, select, update
from sqlalchemy.dialects import sqlite

from akm import states
from akm.models import TaskHistory
from akm.store.statements import Written, at_most, fixed, word

history = TaskHistory.__table__  # type: ignore[attr-defined]
c = history.c

SHOWN = [column for column in c if column.name != "id"]
WHOLE = [column.name for column in SHOWN]
ENDING = ("status", "completed_at", "failed_at", "log_path", "target_kind", "target_ref", "metadata_json")
IS_OPEN = and_(c.status == word(states.ACTIVE), c.completed_at.is_(None))
THIS = (c.task_id == bindparam("task_id"), c.started_at == bindparam("started_at"))
# Never null, so that the same two bounds serve whoever gives none: the empty text, and one above every time.
SPAN = (c.started_at >= bindparam("since"), c.started_at <= bindparam("until"))
NEWEST = (c.started_at.desc(), c.id.desc())
IS_OLD = and_(
    c.started_at < bindparam("older_than"),
    or_(c.status != word(states.ACTIVE), c.completed_at.is_not(None)),
)
BUNDLE = word("$.bundle")
# Null where nobody, or nothing readable, was written down. A case, because its order is promised: of what is
# no JSON, SQLite must not be asked more.
OWNER = case(
    (func.json_valid(c.metadata_json) == fixed(0), null()),
    (func.json_type(c.metadata_json, BUNDLE) == word("text"), func.json_extract(c.metadata_json, BUNDLE)),
)
# Rows that say nothing of a bundle were written before any did, and may be of every one.
OF_BUNDLE = or_(
    bindparam("bundle").is_(None), func.coalesce(OWNER, bindparam("bundle")) == bindparam("bundle")
)
# Of these no index knows: renames are rare and may read the table.
AIMS_AT = and_(c.target_ref >= bindparam("first"), c.target_ref < bindparam("end"))
IS_OWNED = bindparam("old") == OWNER
MOVED = bindparam("new").op("||")(func.substr(c.target_ref, bindparam("tail")))
RENAMED = {
    "target_ref": case((AIMS_AT, MOVED), else_=c.target_ref),
    "metadata_json": case(
        (IS_OWNED, func.json_set(c.metadata_json, BUNDLE, bindparam("new"))), else_=c.metadata_json
    ),
}


def given(**values: ColumnElement[Any]) -> dict[str, Any]:
    """Bind every column of a new row, except those that `values` settles."""
    return {name: values.get(name, bindparam(name)) for name in WHOLE}


def unless_taken(values: dict[str, Any]) -> Any:
    """Insert a row, or change nothing when the task has one of this start."""
    return sqlite.insert(history).values(values).on_conflict_do_nothing()


def optional(name: str) -> ColumnElement[bool]:
    """Compare the column `name` only when the parameter of its name is given."""
    return or_(bindparam(name).is_(None), c[name] == bindparam(name))


def page(*conditions: ColumnElement[bool]) -> Any:
    """Select the newest matching rows, newest first."""
    filters = (*SPAN, *map(optional, ("status", "target_kind", "target_ref")), OF_BUNDLE)
    return at_most(select(*SHOWN).where(*conditions, *filters).order_by(*NEWEST), bindparam("limit"))


RESERVED = given(
    status=word(states.ACTIVE),
    **{name: null() for name in ENDING if name not in ("status", "metadata_json")},
)
INTERVALS = select(c.started_at, c.completed_at).where(
    c.task_id == bindparam("task_id"),
    c.started_at >= bindparam("since"),
    c.started_at < bindparam("before"),
    c.completed_at.is_not(None),
)
COUNTED = select(func.count().label("rows")).select_from(history)

STATEMENTS = [
    Written("TASK_RESERVE", unless_taken(RESERVED)),
    Written("TASK_RECORD", unless_taken(given())),
    Written(
        "TASK_FINALIZE",
        update(history).where(*THIS, IS_OPEN).values({name: bindparam(name) for name in ENDING}),
    ),
    # One plan per index: a condition that may be absent cannot choose one.
    Written("TASKS_ANY", page(), "TaskRow"),
    Written("TASKS_OF_ID", page(c.task_id == bindparam("task_id")), "TaskRow"),
    Written(
        "TASKS_OF_TARGET",
        page(c.target_kind == bindparam("target_kind"), c.target_ref == bindparam("target_ref")),
        "TaskRow",
    ),
    Written("TASK_INTERVALS", INTERVALS.order_by(c.started_at), "TaskInterval"),
    Written("TASKS_PRUNE", delete(history).where(IS_OLD)),
    Written("TASKS_PRUNABLE", COUNTED.where(IS_OLD), "TaskCount"),
    Written("TASKS_RENAME_TARGETS", update(history).where(or_(AIMS_AT, IS_OWNED)).values(RENAMED)),
    Written("TASKS_OF_BUNDLE", COUNTED.where(or_(AIMS_AT, IS_OWNED)), "TaskCount"),
]
