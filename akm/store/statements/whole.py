"""Statements that read a run's rows with every column, as they leave for another ledger."""

from __future__ import annotations

from typing import Any

from sqlalchemy import bindparam, select

from akm.models import Event, WorkflowRun, WorkflowRunUnit, WorkflowRunUnitAttempt
from akm.store.statements import Written
from akm.store.statements.events import of_run

runs = WorkflowRun.__table__  # type: ignore[attr-defined]
units = WorkflowRunUnit.__table__  # type: ignore[attr-defined]
attempts = WorkflowRunUnitAttempt.__table__  # type: ignore[attr-defined]
events = Event.__table__  # type: ignore[attr-defined]


def of_one(table: Any, *order: str) -> Any:
    """Select a run's rows of one table whole, in the order of its key."""
    wanted = select(*table.c).where(table.c.run_id == bindparam("run_id"))
    return wanted.order_by(table.c.run_id, *(table.c[name] for name in order))


# By ref first, because that is what the index knows; a run's events all carry the run's ref.
EVENTS = (events.c.ref == bindparam("ref"), of_run == bindparam("run_id"))
# Without the id, which every ledger gives anew.
EVENT = [column for column in events.c if not column.primary_key]

STATEMENTS = [
    Written("RUN_WHOLE", select(*runs.c).where(runs.c.id == bindparam("run_id")), "WholeRun"),
    Written("UNITS_WHOLE", of_one(units, "unit_id"), "WholeUnit"),
    Written("ATTEMPTS_WHOLE", of_one(attempts, "unit_id", "attempt"), "WholeAttempt"),
    Written("EVENTS_WHOLE", select(*EVENT).where(*EVENTS).order_by(events.c.id), "WholeEvent"),
]
