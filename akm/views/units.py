"""Units and attempts of a run as people ask for them, and how many there are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from akm.store import attempts, sql, units
from akm.store.database import Database
from akm.views.json_columns import value

DIAGNOSTIC_CLIP = 2000


def of_run(db: Database, run_id: str) -> list[dict[str, Any]]:
    """List a run's units by id, with the diagnostic of those that failed."""
    with db.read() as tx:
        return [unit(row) for row in units.of_run(tx, run_id)]


def of_step(db: Database, run_id: str, step_id: str) -> list[sql.StepUnit]:
    """Read the journalled units of a step, gate calls included, for the driver."""
    with db.read() as tx:
        return units.of_step(tx, run_id, step_id)


def journal(db: Database, run_id: str) -> list[dict[str, Any]]:
    """List every attempt of a run in the order in which they started, judges' included."""
    with db.read() as tx:
        rows = attempts.of_run(tx, run_id)
    # What started together stays by unit and number.
    return [attempt(row) for row in sorted(rows, key=lambda row: row.started_at)]


def worktrees(db: Database, run_id: str) -> list[sql.Worktree]:
    """Read the attempts of a run that have a worktree: running, or ended with something left in it."""
    with db.read() as tx:
        return attempts.worktrees(tx, run_id)


def accounting(db: Database, run_id: str) -> sql.Accounting:
    """Count a run's dispatches and gate calls with their tokens and their cost."""
    with db.read() as tx:
        return attempts.accounting(tx, run_id)


def any_open(db: Database, run_ids: Iterable[str]) -> bool:
    """Tell whether an attempt of any of the runs has not ended."""
    with db.read() as tx:
        return any(attempts.is_open(tx, run_id) for run_id in run_ids)


def unit(row: sql.Unit) -> dict[str, Any]:
    """Shape a unit's row."""
    return {
        "unitId": row.unit_id,
        "nodeId": row.node_id,
        "stepId": row.step_id,
        "phase": row.phase,
        "status": row.status,
        "attempts": row.attempts,
        "tokens": row.tokens,
        "cost": row.cost,
        "failureReason": row.failure_reason,
        "sessionId": row.session_id,
        **_told(row),
        "startedAt": row.started_at,
        "finishedAt": row.finished_at,
        "claimHolder": row.claim_holder,
        "claimExpiresAt": row.claim_expires_at,
        "engine": row.engine,
        "model": row.model,
        "runner": row.runner,
        "runtimeKind": row.runner,
        "inputHash": row.input_hash,
        "worktreePath": row.worktree_path,
    }


def attempt(row: sql.Attempt) -> dict[str, Any]:
    """Shape an attempt's row."""
    return {
        "unitId": row.unit_id,
        "attempt": row.attempt,
        "dispatchId": row.dispatch_id,
        "stepId": row.step_id,
        "phase": row.phase,
        "status": row.status,
        "failureReason": row.failure_reason,
        "tokens": row.tokens,
        "cost": row.cost,
        "sessionId": row.session_id,
        **_told(row),
        "startedAt": row.started_at,
        "finishedAt": row.finished_at,
        "claimHolder": row.claim_holder,
        "engine": row.engine,
        "model": row.model,
        "runner": row.runner,
        "inputHash": row.input_hash,
        "worktreePath": row.worktree_path,
    }


def _told(row: sql.Unit | sql.Attempt) -> dict[str, Any]:
    """Say what a failed unit reported, and what a judge decided."""
    if row.phase != "gate" or row.status != "completed":
        return {"diagnostic": diagnostic(row.status, row.result_json)}
    found = value(row.result_json, "result_json", [])
    verdict = found if isinstance(found, dict) else {}
    accepted, feedback, missing = (verdict.get(name) for name in ("complete", "feedback", "missing"))
    listed = "; ".join(one for one in missing if isinstance(one, str)) if isinstance(missing, list) else ""
    parts = (feedback if isinstance(feedback, str) else "", listed and f"Not met: {listed}")
    return {
        "diagnostic": _clipped(" ".join(filter(None, parts))) or None,
        "accepted": accepted if isinstance(accepted, bool) else None,
    }


def diagnostic(status: str, result_json: str | None) -> str | None:
    """Read what a failed unit reported, clipped; None for any other unit."""
    if status != "failed":
        return None
    text = value(result_json, "result_json", [])
    if not isinstance(text, str):
        return None
    return _clipped(text)


def _clipped(text: str) -> str:
    return text if len(text) <= DIAGNOSTIC_CLIP else text[:DIAGNOSTIC_CLIP] + "…"
