"""A step that runs another workflow: its run is published once, driven here, and its end mapped back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from akm import ids, states
from akm.engine.drive import Drive
from akm.engine.outputs import Outputs
from akm.engine.recovery import way_out
from akm.engine.runners.base import Dispatch, Outcome, failed
from akm.engine.spine import spine
from akm.errors import AkmError, TransientError
from akm.services import runs
from akm.services.runs import NewRun
from akm.views import runs as run_views
from akm.workflow import params
from akm.workflow.hashing import canonical, sha256_hex
from akm.workflow.plan import ChildTarget
from akm.workflow.plan_text import plan_json

BLOCKED = "child_workflow_blocked"


def run(drive: Drive, dispatch: Dispatch) -> Outcome:
    """Publish the child of a unit, or find the one it has, and drive it until it stops.

    Runs on the driver's thread, because it writes to the ledger. The child is a run of its own, under its own
    lock, with its own budget.
    """
    target = dispatch.item.node.target
    assert isinstance(target, ChildTarget)
    try:
        child_id = _published(drive, dispatch, target)
    except (AkmError, ValueError) as error:
        return failed("child_workflow_publish_failed", f"{target.ref} could not be started: {error}")
    if run_views.head(drive.ledger.db, child_id).status == states.ACTIVE:
        try:
            reason = drive.drive_child(child_id, dispatch.item.step_id, dispatch.abort)
            if reason is not None:
                # Whoever stopped the child stops what waits for it.
                drive.abort.set(reason)
        except TransientError as error:
            return failed("child_workflow_busy", f"{target.ref}, run {child_id}: {error.message}")
        except AkmError as error:
            return failed("child_workflow_drive_failed", f"{target.ref}, run {child_id}: {error.message}")
    return _mapped(drive, dispatch, target, child_id)


def _mapped(drive: Drive, dispatch: Dispatch, target: ChildTarget, child_id: str) -> Outcome:
    row = run_views.head(drive.ledger.db, child_id)
    where = f"{target.ref}, run {child_id}, is {row.status}"
    if row.status == states.COMPLETED:
        value = Outputs(drive.ledger.db, child_id).get(_last_step(target))
        # The same as a later driver reads back: without a schema, a string is text.
        if isinstance(value, str) and dispatch.item.node.schema is None:
            return Outcome("completed", text=value)
        return Outcome("completed", result=value, has_result=value is not None)
    if row.status == states.ACTIVE and dispatch.abort.is_set:
        return failed("aborted", f"{where}: it was stopped ({dispatch.abort.reason})")
    at_step = f" at step {row.current_step_id}" if row.current_step_id else ""
    if row.status == states.BLOCKED:
        return failed(BLOCKED, f"{where}{at_step}. {recovery(drive, child_id)}")
    return failed("child_workflow_failed", f"{where}{at_step}. {recovery(drive, child_id)}")


def recovery(drive: Drive, child_id: str) -> str:
    """Say how a family goes on whose child is blocked or failed."""
    return f"Put it right, then: {way_out.sentence(drive.ledger.db, child_id)}"


def _published(drive: Drive, dispatch: Dispatch, target: ChildTarget) -> str:
    plan = plan_json.decode(canonical(target.frozen_plan))
    values = dict(dispatch.item.bindings)
    params.validate(values, plan.params)
    parent = run_views.head(drive.ledger.db, drive.ledger.run_id)
    at = drive.ledger.now()
    text = plan_json.encode(plan)
    new = NewRun(
        id=ids.new(),
        workflow_ref=target.ref,
        workflow_title=plan.title,
        status=states.ACTIVE,
        current_step_id=plan.steps[0].step_id,
        created_at=at,
        updated_at=at,
        scope_key=parent.scope_key,
        params_json=canonical(values),
        plan_json=text,
        plan_hash=plan_json.digest(text),
        plan_ir_version=plan.ir_version,
        agent_harness=parent.agent_harness,
        agent_session_id=parent.agent_session_id,
        parent_run_id=parent.id,
        parent_unit_id=dispatch.item.journal_id,
        invocation_key=invocation_key(parent.id, dispatch.item.journal_id, dispatch.item.input_hash),
    )
    return runs.publish_child(drive.ledger.db, new, spine(plan)).id


def invocation_key(parent_run_id: str, parent_unit_id: str, input_hash: str) -> str:
    """Return what identifies a child: the same work of the same unit always has the same one."""
    content = {"parentRunId": parent_run_id, "parentUnitId": parent_unit_id, "unitInputHash": input_hash}
    return sha256_hex("akm.workflow.child-invocation\0v1\0" + canonical(content))


def _last_step(target: ChildTarget) -> str:
    steps: Any = (target.frozen_plan or {}).get("steps") or [{}]
    last = steps[-1]
    return str(last.get("stepId", "")) if isinstance(last, Mapping) else ""
