"""Rows of `workflow_run_steps`."""

from __future__ import annotations

from typing import NamedTuple

from akm.states import StepState
from akm.store import sql
from akm.store.database import Transaction


class NewStep(NamedTuple):
    """One pending step as a run is born with it. `completion_json` is a JSON array of criteria or None."""

    step_id: str
    step_title: str
    instructions: str
    completion_json: str | None
    sequence_index: int


def insert(tx: Transaction, run_id: str, step: NewStep) -> None:
    """Insert a pending step."""
    tx.run(sql.STEP_INSERT, run_id=run_id, **step._asdict())


def copy(tx: Transaction, run_id: str, *, source_run_id: str, before: int) -> None:
    """Copy the steps of another run that stand before a position, with how they ended."""
    tx.run(sql.STEPS_COPY, run_id=run_id, source_run_id=source_run_id, before=before)


def state_rows(tx: Transaction, run_id: str) -> list[StepState]:
    """Read the states of a run's steps in spine order."""
    return [StepState(*row) for row in tx.all(sql.STEP_STATES, run_id=run_id)]


def of_run(tx: Transaction, run_id: str) -> list[sql.Step]:
    """Read a run's steps whole, in spine order."""
    return tx.all(sql.STEPS_OF_RUN, run_id=run_id)


def evidence(tx: Transaction, run_id: str, step_id: str) -> str | None:
    """Read the evidence of one step as JSON text; None when it has none."""
    row = tx.one(sql.STEP_EVIDENCE, run_id=run_id, step_id=step_id)
    return None if row is None else row.evidence_json


def complete(
    tx: Transaction,
    run_id: str,
    step_id: str,
    *,
    status: str,
    notes: str | None,
    evidence_json: str | None,
    summary: str | None,
    at: str,
) -> bool:
    """End a pending step; tells whether it landed."""
    changed = tx.run(
        sql.STEP_COMPLETE,
        run_id=run_id,
        step_id=step_id,
        status=status,
        notes=notes,
        evidence_json=evidence_json,
        summary=summary,
        at=at,
    )
    return changed == 1


def decide(
    tx: Transaction,
    run_id: str,
    step_id: str,
    *,
    status: str,
    notes: str | None,
    evidence_json: str | None,
    summary: str | None,
    at: str | None,
) -> bool:
    """Give a blocked step another status, by somebody's decision; tells whether it landed."""
    changed = tx.run(
        sql.STEP_DECIDE,
        run_id=run_id,
        step_id=step_id,
        status=status,
        notes=notes,
        evidence_json=evidence_json,
        summary=summary,
        at=at,
    )
    return changed == 1


def reopen(tx: Transaction, run_id: str, step_id: str) -> bool:
    """Make a blocked or failed step pending again, without its old ending; tells whether it landed."""
    return tx.run(sql.STEP_REOPEN, run_id=run_id, step_id=step_id) == 1
