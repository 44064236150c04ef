"""Statements about the task history."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, and_, bindparam, case, delete, func, not_, null, or_, select, update
from sqlalchemy.dialects import sqlite

from akm import states
from akm.models import TaskHistory
from akm.store.statements import Written, at_most, fixed, in_bundle, moved, word

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
# The index of targets starts with the kind, so one kind is asked for at a time; null is one too.
AIMS_AT = in_bundle(c.target_ref)
IN_BUNDLE = (c.target_kind.is_not_distinct_from(bindparam("target_kind")), *AIMS_AT)
IS_OWNED = c.bundle == bindparam("old")
# Rows that say nothing of a bundle were written before any did, and may be of every one.
OF_BUNDLE = or_(
    bindparam("bundle").is_(None), func.coalesce(c.bundle, bindparam("bundle")) == bindparam("bundle")
)
RENAMED = {
    "target_ref": moved(c.target_ref),
    "bundle": case((IS_OWNED, bindparam("new")), else_=c.bundle),
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
    Written(
        "TASK_NEXT_KIND",
        at_most(
            select(c.target_kind).where(c.target_kind > bindparam("after")).order_by(c.target_kind), fixed(1)
        ),
        "TaskKind",
    ),
    Written("TASKS_RENAME_TARGETS", update(history).where(*IN_BUNDLE).values(RENAMED)),
    Written("TASKS_OF_BUNDLE", COUNTED.where(*IN_BUNDLE), "TaskCount"),
    # What also aims at the bundle has been renamed, and counted, with its target.
    Written("TASKS_RENAME_OWNER", update(history).where(IS_OWNED).values(bundle=bindparam("new"))),
    Written(
        "TASKS_OWNED",
        COUNTED.where(IS_OWNED, or_(c.target_ref.is_(None), not_(and_(*AIMS_AT)))),
        "TaskCount",
    ),
]
