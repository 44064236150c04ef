"""Rows of `workflow_run_unit_attempts` and the `workflow_run_units` rows that project the latest of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from akm.store import sql
from akm.store.database import Transaction
from akm.store.statement import Value

Row = dict[str, Value]


class Wanted(NamedTuple):
    """One dispatch that is about to be reserved."""

    unit_id: str
    step_id: str
    node_id: str
    phase: str
    input_hash: str
    runner: str | None = None
    engine: str | None = None
    model: str | None = None
    parent_unit_id: str | None = None
    worktree_path: str | None = None


class Finished(NamedTuple):
    """How one reserved attempt ended. `result_json` is JSON text or None, `cost` None: not known.

    `worktree_path` is its worktree if that was kept; None: it had none, or left nothing in it.
    """

    unit_id: str
    attempt: int
    dispatch_id: str
    status: str
    result_json: str | None = None
    tokens: int | None = None
    cost: float | None = None
    failure_reason: str | None = None
    session_id: str | None = None
    worktree_path: str | None = None


def latest(tx: Transaction, run_id: str, unit_id: str) -> sql.LatestAttempt | None:
    """Read the newest attempt of a unit."""
    return tx.one(sql.ATTEMPT_LATEST, run_id=run_id, unit_id=unit_id)


def insert(
    tx: Transaction, run_id: str, wanted: Wanted, *, attempt: int, dispatch_id: str, holder: str, at: str
) -> Row:
    """Insert a running attempt and return its row, for `project_reserved`."""
    unit_id, step_id, node_id, phase, input_hash, runner, engine, model, parent, worktree = wanted
    row: Row = {
        "run_id": run_id,
        "unit_id": unit_id,
        "attempt": attempt,
        "dispatch_id": dispatch_id,
        "step_id": step_id,
        "node_id": node_id,
        "parent_unit_id": parent,
        "phase": phase,
        "runner": runner,
        "engine": engine,
        "model": model,
        "input_hash": input_hash,
        "started_at": at,
        "claim_holder": holder,
        "claim_expires_at": at,
        "worktree_path": worktree,
    }
    tx.run_each(sql.ATTEMPT_INSERT, (row,))
    return row


def project_reserved(tx: Transaction, rows: Sequence[Row]) -> None:
    """Make inserted attempts the latest ones of their units."""
    tx.run_each(sql.UNIT_RESERVE, rows)


def finish(tx: Transaction, run_id: str, finished: Finished, at: str) -> sql.FinishedAttempt | None:
    """Write how a running attempt ended; None when no such attempt is running any more."""
    return tx.one(sql.ATTEMPT_FINISH, **_ending(run_id, finished, at))


def project_finished(tx: Transaction, run_id: str, finished: Sequence[Finished], at: str) -> bool:
    """Write the same ends on the units' rows; tells whether each attempt still was its unit's latest."""
    rows = [_ending(run_id, one, at) for one in finished]
    return tx.run_each(sql.UNIT_FINISH, rows) == len(rows)


def _ending(run_id: str, finished: Finished, at: str) -> Row:
    unit_id, attempt, dispatch_id, status, result_json, tokens, cost, reason, session_id, kept = finished
    return {
        "run_id": run_id,
        "unit_id": unit_id,
        "attempt": attempt,
        "dispatch_id": dispatch_id,
        "status": status,
        "result_json": result_json,
        "tokens": tokens,
        "cost": cost,
        "failure_reason": reason,
        "session_id": session_id,
        "worktree_path": kept,
        "finished_at": at,
    }


def copy(tx: Transaction, run_id: str, *, source_run_id: str, step_id: str, holder: str, at: str) -> None:
    """Copy the finished units of a step of another run into a run that has none yet."""
    who = {"holder": holder, "at": at}
    tx.run(sql.UNITS_COPY, run_id=run_id, source_run_id=source_run_id, step_id=step_id, **who)
    tx.run(sql.ATTEMPTS_COPY, run_id=run_id)


def accounting(tx: Transaction, run_id: str) -> sql.Accounting:
    """Count a run's dispatches and gate calls with their tokens, and what all cost; None: not known."""
    return tx.one(sql.ATTEMPT_ACCOUNTING, run_id=run_id) or sql.Accounting(0, 0, 0, 0, None)


def usage_by_step(tx: Transaction, run_id: str) -> list[sql.StepUsage]:
    """Add up a run's attempts step by step, without any order of the steps."""
    return tx.all(sql.ATTEMPT_USAGE_BY_STEP, run_id=run_id)


def usage_by_model(tx: Transaction, run_id: str) -> list[sql.ModelUsage]:
    """Add up those of a run's attempts that an engine did, by engine and model."""
    return tx.all(sql.ATTEMPT_USAGE_BY_MODEL, run_id=run_id)


def is_open(tx: Transaction, run_id: str) -> bool:
    """Tell whether an attempt of a run has not ended."""
    return tx.one(sql.ATTEMPT_OPEN, run_id=run_id) is not None


def worktrees(tx: Transaction, run_id: str) -> list[sql.Worktree]:
    """Read the attempts of a run that have a worktree: running, or ended with something left in it."""
    return tx.all(sql.ATTEMPT_WORKTREES, run_id=run_id)


def of_run(tx: Transaction, run_id: str) -> list[sql.Attempt]:
    """Read a run's whole journal, by unit and attempt."""
    return tx.all(sql.ATTEMPTS_OF_RUN, run_id=run_id)
