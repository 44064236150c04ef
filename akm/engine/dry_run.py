"""What `akm workflow run` would do now, unit by unit, without doing any of it. Reads, and writes nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from akm import states
from akm.engine import reports, reuse, shortfalls, sources, width
from akm.engine.files import preview
from akm.engine.outputs import Outputs
from akm.engine.start import Flags, parameters
from akm.engine.target import Existing, resolve
from akm.engine.workplace import Workplace
from akm.errors import UsageError
from akm.store.database import Database
from akm.views import runs, units
from akm.workflow import references, secret_shapes, worklist
from akm.workflow.freezing.freeze_settings import Gates
from akm.workflow.plan import ChildTarget, MapNode, Plan, PlanStep, RouteNode
from akm.workflow.plan_text import plan_json
from akm.workflow.worklist import WorkListError

_MOST_LISTED = 100


@dataclass(frozen=True, slots=True)
class _Run:
    """A run that is there already, with the status of each of its steps."""

    db: Database
    id: str
    statuses: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Start:
    """Where a run would begin: its plan, its parameters, and the run that would be gone on with, if any."""

    plan: Plan
    params: Mapping[str, Any]
    run: _Run | None = None
    warnings: tuple[str, ...] = ()

    def status(self, step_id: str) -> str:
        """Return the state of a step; pending in a run that would be started."""
        return self.run.statuses.get(step_id, states.PENDING) if self.run else states.PENDING


def dry_run(
    db: Database | None,
    work: Workplace,
    text: str,
    *,
    given: Flags | dict[str, Any] = (),
    new: bool = False,
    gates: Gates = "judge",
) -> dict[str, Any]:
    """Describe what a run of `text` would dispatch, reuse and spend. `db` None: there is no ledger yet.

    Raises what starting or going on with the run would raise.
    """
    target = resolve(db, work, text, new=new, has_params=bool(given)) if db is not None else None
    if db is not None and isinstance(target, Existing):
        start = _existing(db, target.run_id)
    else:
        start = _fresh(work, text, given, gates)
    plan = start.plan
    shown: dict[str, Any] = {
        "ok": True,
        "dryRun": True,
        "title": plan.title,
        "params": secret_shapes.hidden(start.params),
        "maxConcurrency": width.of_plan(plan),
        "budget": _budget(start),
        "steps": [_step(start, step) for step in plan.steps],
        "warnings": list(start.warnings),
    }
    found = [*shortfalls.of(shown)]
    shown |= {"shortfalls": found} if found else {}
    if start.run is not None:
        shown["runId"] = start.run.id
        driver = reports.driver(start.run.db, start.run.id)
        shown |= {"drivenBy": driver} if driver else {}
    return shown


def _fresh(work: Workplace, text: str, given: Flags | dict[str, Any], gates: Gates) -> _Start:
    loaded = sources.load(work, text)
    frozen = sources.frozen(work, loaded, strict=True, gates=gates)
    return _Start(frozen.plan, parameters(given, frozen.plan), warnings=(*loaded.warnings, *frozen.warnings))


def _existing(db: Database, run_id: str) -> _Start:
    row, stored = runs.head(db, run_id), runs.plan(db, run_id)
    if row.status != states.ACTIVE:
        raise UsageError(
            f"Run {run_id} is {row.status}, so a run would dispatch nothing.",
            hint=f"See where it stands with `akm workflow status {run_id}`.",
        )
    try:
        plan = plan_json.decode((stored.plan_json if stored is not None else None) or "")
        params = json.loads(row.params_json)
    except ValueError as error:
        raise UsageError(f"The plan of run {run_id} cannot be read ({error}); start it afresh.") from None
    spine = runs.detail(db, run_id)["workflow"]["steps"]
    return _Start(plan, params, _Run(db, run_id, {step["id"]: step["status"] for step in spine}))


def _step(start: _Start, step: PlanStep) -> dict[str, Any]:
    shown = preview.step(step) | {
        "status": start.status(step.step_id),
        "width": width.of_step(start.plan, step),
        "variables": _variables(step),
    }
    if shown["status"] == states.PENDING:
        shown["work"] = _work(start, step)
    if step.unit is not None and isinstance(step.unit.target, ChildTarget):
        child = plan_json.decode(json.dumps(step.unit.target.frozen_plan))
        shown["child"] = [preview.step(one) for one in child.steps]
    return shown


def _work(start: _Start, step: PlanStep) -> dict[str, Any]:
    """List what a step would dispatch and reuse, as far as that is known before earlier steps are done."""
    if isinstance(step.root, RouteNode):
        return {"units": 0, "dispatch": 0, "reclaim": 0, "reuse": 0}
    run = start.run
    outputs: Mapping[str, Any] = Outputs(run.db, run.id) if run else {}
    try:
        items = worklist.build(step, run_params=start.params, outputs=outputs)
    except WorkListError as error:
        return {"unknown": str(error), "after": _awaited(start, step)}
    rows = reuse.journal(units.of_step(run.db, run.id, step.step_id) if run else [])
    reused, _notices = reuse.take_over(items, rows)
    listed = [item for item in items if item.journal_id not in reused]
    known = [rows[item.journal_id] for item in listed if item.journal_id in rows]
    return {
        "units": len(items),
        "dispatch": len(listed),
        # Attempts that a killed driver left open are taken up again, and are counted as spent already.
        "reclaim": sum(row.status == states.RUNNING for row in known),
        "reuse": len(reused),
        "unitIds": [item.unit_id for item in listed[:_MOST_LISTED]],
    }


def _awaited(start: _Start, step: PlanStep) -> list[str]:
    """Name the steps that have not ended yet and that a step reads from."""
    node = step.unit
    read = list(node.inputs) if node else []
    if isinstance(step.root, MapNode):
        read.append(step.root.over)
    if node is not None and isinstance(node.target, ChildTarget):
        read += [one.from_ for one in node.target.input_bindings if one.from_ is not None]
    found = [one.name for one in map(references.parse, read) if one.kind != "params"]
    return [name for name in dict.fromkeys(found) if start.status(name) == states.PENDING]


def _variables(step: PlanStep) -> list[str]:
    """List the names of the variables that units get besides the usual ones, and of the secrets in them."""
    found: list[str] = []
    for binding in step.unit.environment if step.unit else ():
        if binding.kind == "env-ref":
            found += [*binding.detail.get("keys", ()), *binding.detail.get("secretNames", ())]
        else:
            found.append(binding.name)
    return sorted(set(found))


def _budget(start: _Start) -> dict[str, Any]:
    limits = start.plan.budget
    most = {"maxUnits": limits.max_units, "maxTokens": limits.max_tokens, "maxCost": limits.max_cost}
    shown: dict[str, Any] = {name: limit for name, limit in most.items() if limit is not None}
    if start.run is not None:
        spent = units.accounting(start.run.db, start.run.id)
        shown["spent"] = {"units": spent.dispatches, "tokens": spent.dispatch_tokens, "cost": spent.cost}
    return shown
