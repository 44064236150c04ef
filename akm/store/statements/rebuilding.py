"""Statements that make the rows of units from the journal, as reserving and finishing leave them."""

from __future__ import annotations

from typing import Any

from sqlalchemy import and_, case, delete, func, literal_column, or_, select, tuple_
from sqlalchemy.dialects.sqlite import insert

from akm import states
from akm.models import WorkflowRunUnit, WorkflowRunUnitAttempt
from akm.store.statements import Written, word

units = WorkflowRunUnit.__table__  # type: ignore[attr-defined]
attempts = WorkflowRunUnitAttempt.__table__  # type: ignore[attr-defined]
latest = attempts.alias("latest")
later = attempts.alias("later")

# What a unit's row shares with its latest attempt; its key, its parent and akm-cli's check-ins are its own.
KEY = ("run_id", "unit_id")
SHARED = [column.name for column in units.c if column.name in attempts.c and column.name not in KEY]
OF_UNIT = and_(later.c.run_id == latest.c.run_id, later.c.unit_id == latest.c.unit_id)
IS_LATEST = latest.c.attempt == select(func.max(later.c.attempt)).where(OF_UNIT).scalar_subquery()
# As the plan names the node of a fan-out and its template.
PARENT = case((latest.c.node_id == latest.c.step_id.op("||")(word(".unit")), latest.c.step_id + word(".map")))


def differs(unit: Any, attempt: Any, number: Any) -> Any:
    """Tell whether a unit's row is not what its latest attempt, of that number, says."""
    unlike = [unit[name].is_distinct_from(attempt[name]) for name in SHARED]
    return or_(unit.attempts.is_distinct_from(number), *unlike)


# Not correlated, because a statement about one table names its columns without it.
WITH_ATTEMPTS: Any = select(attempts.c.run_id, attempts.c.unit_id)
# A unit that was never dispatched has no attempt, and may be listed all the same.
IS_STRAY = and_(
    units.c.status != word(states.PENDING), tuple_(units.c.run_id, units.c.unit_id).not_in(WITH_ATTEMPTS)
)

PROJECTED = select(
    *(latest.c[name] for name in (*KEY, *SHARED)), PARENT.label("parent_unit_id"), latest.c.attempt
).where(IS_LATEST)
UPSERT = insert(units).from_select([*KEY, *SHARED, "parent_unit_id", "attempts"], PROJECTED)

STATEMENTS = [
    Written("UNITS_DROP_STRAY", delete(units).where(IS_STRAY)),
    Written(
        "UNITS_PROJECT",
        UPSERT.on_conflict_do_update(
            index_elements=list(KEY),
            set_={name: UPSERT.excluded[name] for name in (*SHARED, "attempts")},
            where=differs(units.c, UPSERT.excluded, literal_column("excluded.attempts")),
        ),
    ),
]
