"""Moving a run along its spine: one step ends, and the run's own state follows in the same transaction."""

from __future__ import annotations

from akm import states
from akm.errors import NotFoundError, UsageError
from akm.services import journal
from akm.states import RunState, StepState
from akm.store import events, runs, sql, steps
from akm.store.attempts import Finished
from akm.store.database import Database, Transaction

ENDINGS = tuple(status for status in states.STEP if status != states.PENDING)


def complete(
    db: Database,
    run_id: str,
    step_id: str,
    *,
    status: str,
    at: str,
    summary: str | None = None,
    notes: str | None = None,
    evidence_json: str | None = None,
    judged: Finished | None = None,
) -> RunState:
    """End the run's current step as `completed`, `failed`, `blocked` or `skipped`; returns the run's state.

    Writes the step, the run and their events together, and with them the end of the gate's attempt `judged`
    that decided it, so that a verdict is never without its consequence. `completed` needs a summary. Raises
    UsageError when the run is not active, the step is not pending or not the current one, or the attempt is
    not running any more; NotFoundError when run or step do not exist. Nothing is written then.
    """
    if status not in ENDINGS:
        raise ValueError(f"a step ends as one of {', '.join(ENDINGS)}, not as {status!r}")
    if status == states.COMPLETED and not (summary or "").strip():
        raise UsageError(f"Step {step_id} needs a summary to be completed.", code="MISSING_REQUIRED_ARGUMENT")
    journal.refuse_open([judged] if judged else [])
    with db.immediate() as tx:
        run = _active(tx, run_id)
        spine = steps.state_rows(tx, run_id)
        _refuse_wrong_step(run, spine, step_id)
        if judged is not None and not journal.finish(tx, run, [judged], at)[0]:
            raise UsageError(f"The verdict {judged.unit_id} of run {run_id} was written by somebody else.")
        steps.complete(
            tx,
            run_id,
            step_id,
            status=status,
            notes=(notes or "").strip() or None,
            evidence_json=evidence_json,
            summary=summary,
            at=at,
        )
        ended = StepState(step_id, status, at)
        state = states.derive(ended if step.step_id == step_id else step for step in spine)
        runs.set_state(tx, run_id, state, at)
        _record(tx, run, ended, state)
        return state


def _record(tx: Transaction, run: sql.RunHead, ended: StepState, state: RunState) -> None:
    at = ended.completed_at or ""
    kind = "workflow_step_completed" if ended.status == states.COMPLETED else "workflow_step_updated"
    metadata: dict[str, str | int] = {"runId": run.id, "stepId": ended.step_id, "status": ended.status}
    events.append(tx, kind, at=at, ref=run.workflow_ref, metadata=metadata)
    if state.status == states.COMPLETED:
        events.append(tx, "workflow_finished", at=at, ref=run.workflow_ref, metadata={"runId": run.id})


def _active(tx: Transaction, run_id: str) -> sql.RunHead:
    run = runs.head(tx, run_id)
    if run is None:
        raise NotFoundError(f"There is no run {run_id}.", code="WORKFLOW_NOT_FOUND")
    if run.status != states.ACTIVE:
        raise UsageError(f"Run {run_id} is {run.status}, so its steps do not move.")
    return run


def _refuse_wrong_step(run: sql.RunHead, spine: list[StepState], step_id: str) -> None:
    step = next((step for step in spine if step.step_id == step_id), None)
    if step is None:
        raise NotFoundError(f"Run {run.id} has no step {step_id}.")
    if step.status != states.PENDING:
        raise UsageError(f"Step {step_id} of run {run.id} is {step.status} already.")
    if run.current_step_id != step_id:
        raise UsageError(f"Run {run.id} is at step {run.current_step_id}, not at {step_id}.")
