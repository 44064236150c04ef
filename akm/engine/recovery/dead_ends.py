"""Stopped runs that no driver can lead on, however often they are reopened, and what helps in their place."""

from __future__ import annotations

import json
from enum import Enum, auto
from typing import Any

from akm import states
from akm.engine import budget, reuse
from akm.engine.outputs import Outputs
from akm.errors import UsageError
from akm.store.database import Database
from akm.views import runs, units, usage
from akm.workflow import worklist
from akm.workflow.plan import Plan, PlanStep
from akm.workflow.plan_text import plan_json
from akm.workflow.worklist import WorkItem


class Help(Enum):
    """A fork from the step that stopped the run, whose budget is whole again; or a new run."""

    FORK = auto()
    NEW = auto()


def helping(db: Database, run_id: str) -> Help | None:
    """Tell what helps a run that what is frozen into it has stopped for good; None where reopening may do."""
    shown = runs.detail(db, run_id)
    at = shown["run"]["currentStepId"]
    row = next((one for one in shown["workflow"]["steps"] if one["id"] == at), None)
    if row is None or row["status"] not in (states.FAILED, states.BLOCKED):
        return None
    stored = runs.plan(db, run_id)
    try:
        plan = plan_json.decode((stored.plan_json if stored is not None else None) or "")
    except plan_json.PlanUndecodable:
        return None
    step = plan.step(at)
    if step is None:
        return None
    if step.unit is not None and step.unit.isolation == "worktree" and step.unit.commit is None:
        return Help.NEW
    ceiling = _ceiling(plan, row)
    return None if ceiling is None else _past(db, run_id, plan, step, ceiling)


def _ceiling(plan: Plan, row: dict[str, Any]) -> str | None:
    """Name the ceiling that stopped a step, if its row says that one did."""
    evidence = row.get("evidence")
    error = evidence.get("error") if isinstance(evidence, dict) else None
    told = budget.used_up(plan.budget)
    notes = row.get("notes", "")
    found = (name for name, said in told.items() if error == said or budget.unasked(said) in notes)
    return next(found, None)


def _past(db: Database, run_id: str, plan: Plan, step: PlanStep, ceiling: str) -> Help | None:
    """Tell what gets past a ceiling: a fork when the step by itself did not come up to it."""
    most: float = getattr(plan.budget, ceiling)
    rows = reuse.journal(units.of_step(db, run_id, step.step_id))
    items = _items(db, run_id, step)
    if items is None:
        return None
    is_done = all(
        (row := rows.get(one.journal_id)) is not None and row.status == states.COMPLETED for one in items
    )
    if is_done and (ceiling != "max_cost" or step.gate.judge is None):
        # The last result was paid for and is kept, so that nothing has to be dispatched any more.
        return None
    if ceiling == "max_units":
        spent: float = max(len(items), sum(row.attempts for row in rows.values()) + (not is_done))
        return Help.FORK if spent <= most else Help.NEW
    what = ceiling.removeprefix("max_")
    spent = sum(
        one[what] or 0 for one in usage.of_run(db, run_id)["bySteps"] if one["stepId"] == step.step_id
    )
    return Help.FORK if spent < most else Help.NEW


def _items(db: Database, run_id: str, step: PlanStep) -> list[WorkItem] | None:
    """List the units of a step; None when what it reads is not there or is damaged."""
    try:
        params = json.loads(runs.head(db, run_id).params_json)
        return worklist.build(step, run_params=params, outputs=Outputs(db, run_id))
    except (ValueError, UsageError):
        return None
