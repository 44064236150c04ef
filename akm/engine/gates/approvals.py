"""Approving and rejecting a step that waits for a person: what is asked, whether it fits, what follows."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from akm import states
from akm.engine import lock, runs_below
from akm.engine.gates import gate_position
from akm.errors import UsageError
from akm.services import approvals
from akm.services.approvals import Decision
from akm.states import RunState
from akm.store.attempts import Wanted
from akm.store.database import Database
from akm.views import runs
from akm.workflow import judging
from akm.workflow.hashing import canonical, sha256_hex
from akm.workflow.json_values import fault
from akm.workflow.plan import PlanStep
from akm.workflow.plan_text import plan_json

PERSON = "person"


class Waiting(NamedTuple):
    """A step that waits: its frozen form, the loop that was executed, and whether another one may follow."""

    step: PlanStep
    loop: int
    is_last: bool


class Given(NamedTuple):
    """The value that comes with an approval; null is one as any other."""

    value: Any


def approve(
    db: Database, run_id: str, step_id: str | None, *, by: str, at: str, note: str | None, given: Given | None
) -> RunState:
    """Complete the step that waits for approval, perhaps with a value for later steps.

    Raises UsageError when nothing waits, when `step_id` is another step, or when the value misses the
    schema of the step's gate; nothing was written then.
    """
    waiting = _waiting(db, run_id, step_id)
    _check(waiting.step, given)
    verdict = {"complete": True, "missing": [], "by": by}
    decision = Decision(_call(waiting), canonical(verdict), by, note)
    value = None if given is None else given.value
    state = approvals.approve(db, run_id, waiting.step.step_id, decision, value=value, at=at)
    if state.status == states.COMPLETED:
        lock.discard(lock.folder(db.path), run_id)
    return state


def reject(db: Database, run_id: str, step_id: str | None, *, by: str, at: str, note: str | None) -> RunState:
    """Send the step that waits back with the note as feedback while loops are left, else end it as failed.

    Raises UsageError as `approve` does.
    """
    waiting = _waiting(db, run_id, step_id)
    feedback = note or f"{by} did not approve it."
    verdict = {"complete": False, "missing": [], "feedback": feedback, "by": by}
    decision = Decision(_call(waiting), canonical(verdict), by, note)
    return approvals.reject(db, run_id, waiting.step.step_id, decision, reopens=not waiting.is_last, at=at)


def shown(db: Database, run_id: str) -> dict[str, Any] | None:
    """Describe what a run waits for: {stepId, loop, criteria, output, value, approve, reject}, or None.

    `value` is the schema of what has to be given with an approval, null when nothing has to.
    """
    row = runs.head(db, run_id)
    if row.status != states.BLOCKED or row.current_step_id is None:
        return None
    evidence = approvals.awaited(runs.evidence(db, run_id, row.current_step_id))
    if evidence is None:
        return None
    return {
        "stepId": row.current_step_id,
        "loop": evidence["approval"].get("loop"),
        "criteria": evidence["approval"].get("criteria", []),
        "output": evidence.get("output"),
        "value": evidence["approval"].get("asks"),
        "approve": f"akm workflow approve {run_id}",
        "reject": f"akm workflow reject {run_id}",
    }


def _waiting(db: Database, run_id: str, step_id: str | None) -> Waiting:
    row = runs.head(db, run_id)
    named = step_id or row.current_step_id
    evidence = approvals.awaited(runs.evidence(db, run_id, named)) if named else None
    if row.status != states.BLOCKED or named != row.current_step_id or evidence is None or named is None:
        at_step = f" at step {row.current_step_id}" if row.current_step_id else ""
        what = f"Step {step_id} of run" if step_id else "Run"
        raise UsageError(
            f"{what} {run_id} does not wait for approval; the run is {row.status}{at_step}.",
            hint=_elsewhere(db, run_id),
        )
    step = _frozen(db, run_id, named)
    loop = evidence["approval"].get("loop")
    loop = loop if isinstance(loop, int) else 1
    size = judging.max_loops(step)
    return Waiting(step, loop, is_last=loop % size == 0)


def _elsewhere(db: Database, run_id: str) -> str:
    """Say what may be decided instead: what a run below waits for, if one does."""
    child = next((one for one in runs_below.stopped(db, run_id) if shown(db, one)), None)
    if child is None:
        return f"See where it stands with `akm workflow status {run_id}`."
    return f"Its child waits: decide with `akm workflow approve {child}`, or `reject {child}`."


def _frozen(db: Database, run_id: str, step_id: str) -> PlanStep:
    stored = runs.plan(db, run_id)
    try:
        plan = plan_json.decode((stored.plan_json if stored is not None else None) or "")
    except plan_json.PlanUndecodable as error:
        raise UsageError(f"The plan of run {run_id} cannot be read ({error}); start it afresh.") from None
    step = plan.step(step_id)
    if step is None:
        raise UsageError(f"The plan of run {run_id} has no step {step_id}.")
    return step


def _check(step: PlanStep, given: Given | None) -> None:
    if given is None:
        if step.gate.value_schema is not None:
            raise UsageError(
                f"Step {step.step_id} asks for a value with its approval: give it with --value JSON.",
                code="MISSING_REQUIRED_ARGUMENT",
            )
        return
    unfit = fault(given.value, root="value", allow_nul=False)
    if unfit is not None:
        raise UsageError(f"{unfit}.", code="INVALID_JSON_ARGUMENT")
    if step.gate.value_schema is None:
        return
    from akm.workflow import schemas

    misses = schemas.check(step.gate.value_schema, given.value, root="value")
    if misses:
        raise UsageError(
            f"The value does not fit what step {step.step_id} asks for: {'; '.join(misses)}.",
            code="INVALID_JSON_ARGUMENT",
        )


def _call(waiting: Waiting) -> Wanted:
    step = waiting.step
    asked = canonical({"criteria": list(step.gate.criteria), "loop": waiting.loop, "step": step.step_id})
    return Wanted(
        unit_id=gate_position.unit_id(step, waiting.loop),
        step_id=step.step_id,
        node_id=step.gate.id,
        phase="gate",
        input_hash=sha256_hex("akm.workflow.approval\0" + asked),
        runner=PERSON,
    )


def evidence_of(step: PlanStep, loop: int, evidence: dict[str, Any]) -> dict[str, Any]:
    """Return the evidence of a step whose units are done and that waits for a person."""
    approval: dict[str, Any] = {
        "state": approvals.AWAITED,
        "loop": loop,
        "criteria": list(step.gate.criteria),
    }
    if step.gate.value_schema is not None:
        approval["asks"] = step.gate.value_schema
    return {**evidence, "approval": approval}


def sentence(run_id: str) -> str:
    """Say that a step waits and how to go on."""
    return (
        f"Its units are done and it waits for a person: `akm workflow approve {run_id}` completes it, "
        f"`akm workflow reject {run_id} --note ...` sends it back."
    )


def load_value(text: str | None) -> Given | None:
    """Read the JSON of `--value`; None when it was not given. Raises UsageError."""
    if text is None:
        return None
    try:
        return Given(json.loads(text))
    except (ValueError, RecursionError) as error:
        raise UsageError(
            f"--value is no JSON ({error}); a text needs quotes, such as '\"yes\"'.",
            code="INVALID_JSON_ARGUMENT",
        ) from None
