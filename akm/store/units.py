"""Rows of `workflow_run_units`, for readers; `akm.store.attempts` writes them."""

from __future__ import annotations

from akm.store import sql
from akm.store.database import Transaction


def of_step(tx: Transaction, run_id: str, step_id: str) -> list[sql.StepUnit]:
    """Read the units of a step, gate calls included."""
    return tx.all(sql.UNITS_OF_STEP, run_id=run_id, step_id=step_id)


def of_run(tx: Transaction, run_id: str) -> list[sql.Unit]:
    """Read a run's units by id."""
    return tx.all(sql.UNITS_OF_RUN, run_id=run_id)
