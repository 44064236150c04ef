"""Statements that find out which runs are old, and delete runs with all that belongs to them."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Text, and_, bindparam, column, delete, exists, func, or_, select

from akm.models import Event, WorkflowRun, WorkflowRunStep, WorkflowRunUnit, WorkflowRunUnitAttempt
from akm.store.statements import Written, at_most
from akm.store.statements.events import of_run

runs = WorkflowRun.__table__  # type: ignore[attr-defined]
steps = WorkflowRunStep.__table__  # type: ignore[attr-defined]
units = WorkflowRunUnit.__table__  # type: ignore[attr-defined]
attempts = WorkflowRunUnitAttempt.__table__  # type: ignore[attr-defined]
events = Event.__table__  # type: ignore[attr-defined]
c = runs.c

AGED = (
    *(c.id, c.parent_run_id, c.workflow_ref, c.scope_key, c.status, c.created_at, c.updated_at),
    c.completed_at,
)
# One text for any number of ids: a JSON array.
IDS: Any = select(func.json_each(bindparam("ids")).table_valued(column("value", Text)).alias("given").c.value)
FAMILY = or_(c.id.in_(IDS), c.parent_run_id.in_(IDS))

OTHER = runs.alias("run")
HAS_RUN = exists().where(OTHER.c.id == of_run)
IS_LEFT = and_(of_run.is_not(None), ~HAS_RUN)
# Never true without a time: nothing compares with null.
IS_OLD = and_(of_run.is_(None), events.c.ts < bindparam("older_than"))
SPAN = (events.c.id > bindparam("after"), events.c.id <= bindparam("through"))
NEXT: Any = at_most(
    select(events.c.id).where(events.c.id > bindparam("after")).order_by(events.c.id), bindparam("limit")
).subquery("next")


def counted(table: Any, *conditions: Any) -> Any:
    """Count the rows of a table that meet the conditions."""
    return select(func.count().label("rows")).select_from(table).where(*conditions)


STATEMENTS = [
    Written("RUNS_AGED", select(*AGED), "AgedRun"),
    Written("RUNS_FAMILY", select(*AGED).where(FAMILY), "AgedRun"),
    Written("RUNS_AMONG", select(c.id, c.status).where(c.id.in_(IDS)), "RunStatus"),
    Written(
        "ATTEMPTS_PER_RUN",
        select(attempts.c.run_id, func.count().label("rows")).group_by(attempts.c.run_id),
        "RunAttempts",
    ),
    Written("RUNS_DELETE", delete(runs).where(c.id.in_(IDS))),
    Written("STEPS_DELETE", delete(steps).where(steps.c.run_id.in_(IDS))),
    Written("UNITS_DELETE", delete(units).where(units.c.run_id.in_(IDS))),
    Written("ATTEMPTS_DELETE", delete(attempts).where(attempts.c.run_id.in_(IDS))),
    Written("STEPS_COUNT", counted(steps, steps.c.run_id.in_(IDS)), "RowCount"),
    Written("UNITS_COUNT", counted(units, units.c.run_id.in_(IDS)), "RowCount"),
    Written("ATTEMPTS_COUNT", counted(attempts, attempts.c.run_id.in_(IDS)), "RowCount"),
    Written(
        "EVENTS_NEXT", select(func.max(NEXT.c.id).label("through"), func.count().label("rows")), "EventSpan"
    ),
    Written("EVENTS_SWEEP", delete(events).where(*SPAN, or_(IS_LEFT, IS_OLD))),
    Written("EVENTS_LEFT", counted(events, or_(IS_LEFT, IS_OLD, of_run.in_(IDS))), "RowCount"),
]
