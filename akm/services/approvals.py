"""A person's decision about a step that waits for it: accepted, or sent back, or given up."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from akm import states
from akm.errors import NotFoundError, UsageError
from akm.services import journal
from akm.states import RunState, StepState
from akm.store import events, runs, sql, steps
from akm.store.attempts import Finished, Wanted
from akm.store.database import Database, Transaction

AWAITED = "awaited"


class Decision(NamedTuple):
    """Who decided, and what the gate's row keeps of it: `call` is its unit, `verdict_json` as a judge's."""

    call: Wanted
    verdict_json: str
    by: str
    note: str | None = None


def approve(
    db: Database, run_id: str, step_id: str, decision: Decision, *, value: Any = None, at: str
) -> RunState:
    """Complete a step that waits for approval; returns the run's state.

    `value` becomes part of the step's evidence. Writes the gate's attempt, the step, the run and their events
    together. Raises UsageError when the step does not wait (any more); nothing is written then.
    """
    with db.immediate() as tx:
        run, evidence = _waiting(tx, run_id, step_id)
        _journal(tx, run, decision, at)
        given = {"by": decision.by, "at": at, "note": decision.note, "value": value}
        text = _encode({**evidence, "approval": given})
        return _decide(tx, run, step_id, states.COMPLETED, at, notes=decision.note, evidence_json=text)


def reject(
    db: Database, run_id: str, step_id: str, decision: Decision, *, reopens: bool, at: str
) -> RunState:
    """Send a step that waits for approval back to be done again (`reopens`), or end it as failed.

    Writes and raises as `approve` does. A reopened step has nothing of its last loop left but the units.
    """
    with db.immediate() as tx:
        run, evidence = _waiting(tx, run_id, step_id)
        _journal(tx, run, decision, at)
        if reopens:
            return _decide(tx, run, step_id, states.PENDING, at)
        given = {"by": decision.by, "at": at, "note": decision.note}
        notes = (
            f"{decision.by} rejected it: {decision.note}" if decision.note else f"{decision.by} rejected it."
        )
        text = _encode({**evidence, "rejection": given})
        return _decide(tx, run, step_id, states.FAILED, at, notes=notes, evidence_json=text)


def awaited(evidence_json: str | None) -> dict[str, Any] | None:
    """Read the evidence of a step that waits for a person, {approval: {state, loop}, ...}; None if not."""
    try:
        evidence = json.loads(evidence_json or "null")
    except (ValueError, RecursionError):
        return None
    approval = evidence.get("approval") if isinstance(evidence, dict) else None
    return evidence if isinstance(approval, dict) and approval.get("state") == AWAITED else None


def _waiting(tx: Transaction, run_id: str, step_id: str) -> tuple[sql.RunHead, dict[str, Any]]:
    run = runs.head(tx, run_id)
    if run is None:
        raise NotFoundError(f"There is no run {run_id}.", code="WORKFLOW_NOT_FOUND")
    evidence = awaited(steps.evidence(tx, run_id, step_id))
    if run.status != states.BLOCKED or run.current_step_id != step_id or evidence is None:
        raise UsageError(
            f"Step {step_id} of run {run_id} does not wait for approval; the run is {run.status}"
            + (f" at step {run.current_step_id}." if run.current_step_id else "."),
            hint=f"See where it stands with `akm workflow status {run_id}`.",
        )
    return run, evidence


def _journal(tx: Transaction, run: sql.RunHead, decision: Decision, at: str) -> None:
    (reserved,) = journal.reserve(tx, run, [decision.call], at)
    end = Finished(
        reserved.unit_id,
        reserved.attempt,
        reserved.dispatch_id,
        states.COMPLETED,
        result_json=decision.verdict_json,
    )
    journal.finish(tx, run, [end], at)


def _decide(
    tx: Transaction,
    run: sql.RunHead,
    step_id: str,
    status: str,
    at: str,
    *,
    notes: str | None = None,
    evidence_json: str | None = None,
) -> RunState:
    is_over = status != states.PENDING
    steps.decide(
        tx,
        run.id,
        step_id,
        status=status,
        notes=notes,
        evidence_json=evidence_json,
        summary="Approved." if status == states.COMPLETED else None,
        at=at if is_over else None,
    )
    state = states.derive(steps.state_rows(tx, run.id))
    runs.reopen(tx, run.id, at)
    runs.set_state(tx, run.id, state, at)
    _record(tx, run, StepState(step_id, status, at), state)
    return state


def _record(tx: Transaction, run: sql.RunHead, ended: StepState, state: RunState) -> None:
    is_done = ended.status == states.COMPLETED
    kind = "workflow_step_completed" if is_done else "workflow_step_updated"
    step = {"runId": run.id, "stepId": ended.step_id}
    at = ended.completed_at or ""
    decided = "workflow_approved" if is_done else "workflow_rejected"
    events.append(tx, decided, at=at, ref=run.workflow_ref, metadata=step)
    events.append(tx, kind, at=at, ref=run.workflow_ref, metadata={**step, "status": ended.status})
    if state.status == states.COMPLETED:
        events.append(tx, "workflow_finished", at=at, ref=run.workflow_ref, metadata={"runId": run.id})


def _encode(evidence: dict[str, Any]) -> str:
    return json.dumps(evidence, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
