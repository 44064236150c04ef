"""All rows of one run with every column: read to leave this ledger, inserted to come into another one."""

from __future__ import annotations

from typing import NamedTuple

from akm.store import runs, sql, steps
from akm.store.database import Transaction


class RunRows(NamedTuple):
    """One run, whole. Events are in the order in which they happened."""

    run: sql.WholeRun
    steps: list[sql.Step]
    units: list[sql.WholeUnit]
    attempts: list[sql.WholeAttempt]
    events: list[sql.WholeEvent]


def tree(tx: Transaction, run_id: str) -> list[RunRows]:
    """Read a run and all runs below it, each before its children; nothing when there is no such run."""
    run = tx.one(sql.RUN_WHOLE, run_id=run_id)
    if run is None:
        return []
    found = [
        RunRows(
            run,
            steps.of_run(tx, run_id),
            tx.all(sql.UNITS_WHOLE, run_id=run_id),
            tx.all(sql.ATTEMPTS_WHOLE, run_id=run_id),
            tx.all(sql.EVENTS_WHOLE, run_id=run_id, ref=run.workflow_ref),
        )
    ]
    for child in runs.children(tx, run_id):
        found.extend(tree(tx, child.id))
    return found


def insert(tx: Transaction, rows: RunRows) -> bool:
    """Insert a run with all its rows; tells whether every one of them landed.

    A row does not land when another one has its key, which for an attempt may be another run's.
    """
    kinds = (
        (sql.RUN_ADOPT, [rows.run]),
        (sql.STEP_ADOPT, rows.steps),
        (sql.UNIT_ADOPT, rows.units),
        (sql.ATTEMPT_ADOPT, rows.attempts),
    )
    for change, found in kinds:
        if tx.run_each(change, [row._asdict() for row in found]) != len(found):
            return False
    for event in rows.events:
        once = event.idempotency_key is not None
        change = sql.EVENT_INSERT_ONCE if once else sql.EVENT_INSERT
        if tx.run(change, **event._asdict()) != 1:
            return False
    return True
