"""Forking a run: the same frozen plan, from one of its steps on, perhaps with other parameters."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from akm import ids, states
from akm.engine.spine import spine
from akm.engine.start import Flags
from akm.errors import UsageError
from akm.services import forks
from akm.services.runs import NewRun
from akm.store.database import Database
from akm.store.sql import RunPlan, RunSummary
from akm.views import runs, units
from akm.workflow import params
from akm.workflow.hashing import canonical
from akm.workflow.plan import MapNode, Plan
from akm.workflow.plan_text import plan_json


class Forked(NamedTuple):
    """A fork that was just published, and what the person should hear about it."""

    run_id: str
    step_id: str
    warnings: tuple[str, ...]


def fork(
    db: Database,
    run_id: str,
    step_id: str,
    *,
    at: str,
    given: Flags | dict[str, Any] = (),
    new: bool = False,
    failed_only: bool = False,
) -> Forked:
    """Start a run that goes on from `step_id` of another one; what came before is taken over.

    Raises UsageError for a child, an unreadable plan, a step that cannot be forked from, and parameters
    that do not fit; nothing is written then.
    """
    source, stored, plan = _readable(db, run_id)
    left = [step for step in spine(plan) if step.sequence_index >= _position(plan, run_id, step_id)]
    values, warnings = _parameters(source, plan, given)
    forked = NewRun(
        id=ids.new(),
        workflow_ref=source.workflow_ref,
        workflow_title=source.workflow_title,
        status=states.ACTIVE,
        current_step_id=step_id,
        created_at=at,
        updated_at=at,
        scope_key=source.scope_key,
        params_json=values,
        plan_json=stored.plan_json or "",
        plan_hash=stored.plan_hash or "",
        plan_ir_version=stored.plan_ir_version or 0,
        forked_from_run_id=source.id,
        forked_from_step_id=step_id,
    )
    forks.fork(db, forked, left, at=at, with_units=failed_only, force=new)
    return Forked(forked.id, step_id, warnings)


def partly_failed(db: Database, run_id: str) -> str:
    """Find the first step that went on although units of it had failed.

    Raises UsageError when the run has none, or its plan cannot be read.
    """
    _source, _stored, plan = _readable(db, run_id)
    for step in plan.steps:
        goes_on = isinstance(step.root, MapNode) and step.root.template.on_error == "continue"
        if goes_on and any(row.status == states.FAILED for row in units.of_step(db, run_id, step.step_id)):
            return step.step_id
    raise UsageError(
        f"Run {run_id} has no step that went on although some of its items failed: nothing to retry.",
        hint=f"Fork it from a step with `akm workflow fork {run_id} --from STEP`.",
    )


def _readable(db: Database, run_id: str) -> tuple[RunSummary, RunPlan, Plan]:
    source, stored = runs.head(db, run_id), runs.plan(db, run_id)
    if source.parent_run_id is not None:
        raise UsageError(
            f"Run {run_id} is the child of {source.parent_run_id}: fork that one.",
        )
    try:
        plan = plan_json.decode((stored.plan_json if stored is not None else None) or "")
    except plan_json.PlanUndecodable as error:
        raise UsageError(f"The plan of run {run_id} cannot be read ({error}); start it afresh.") from None
    assert stored is not None
    return source, stored, plan


def _position(plan: Plan, run_id: str, step_id: str) -> int:
    step = plan.step(step_id)
    if step is None:
        known = ", ".join(step.step_id for step in plan.steps)
        raise UsageError(f"Run {run_id} has no step {step_id!r}; its steps are {known}.")
    return step.sequence_index


def _parameters(source: RunSummary, plan: Plan, given: Flags | dict[str, Any]) -> tuple[str, tuple[str, ...]]:
    if not given:
        return source.params_json, ()
    before = json.loads(source.params_json)
    changed = dict(given) if isinstance(given, dict) else params.coerce(given, plan.params)
    values = params.with_defaults({**before, **changed}, plan.params)
    params.validate(values, plan.params)
    names = ", ".join(sorted(changed))
    warning = (
        f"The steps before were done with other parameters than {names}; they are taken over as they ended."
    )
    return canonical(values), (warning,)
