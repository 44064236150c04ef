"""Executing one step: list its work, reuse what is finished, dispatch the rest, reduce, and end the step."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from akm import states
from akm.engine import reuse
from akm.engine.abort import Abort
from akm.engine.budget import Spending
from akm.engine.fan_out import Dispatched, Setting, fan_out
from akm.engine.ledger import Ledger
from akm.engine.outputs import Outputs
from akm.engine.progress import Observe, Progress
from akm.engine.runners.base import Runner
from akm.engine.start import refuse_unsupported
from akm.errors import UsageError
from akm.services import steps
from akm.store.sql import StepUnit
from akm.workflow import worklist
from akm.workflow.freeze import host_width
from akm.workflow.hashing import canonical
from akm.workflow.plan import CommandTarget, MapNode, Plan, PlanStep, UnitNode
from akm.workflow.reduce import Reduced, UnitResult, reduce
from akm.workflow.worklist import WorkItem, WorkListError


@dataclass(frozen=True, slots=True)
class Drive:
    """One invocation's hold on a run: its plan, parameters and everything that units share."""

    ledger: Ledger
    plan: Plan
    params: Mapping[str, Any]
    spending: Spending
    abort: Abort
    environment: Mapping[str, str]
    runner_for: Callable[[UnitNode], Runner | None]
    observe: Observe
    max_concurrency: int | None = None


_STATUS = {"advanced": states.COMPLETED, "failed": states.FAILED, "stopped": states.PENDING}


@dataclass(slots=True)
class Executed:
    """What one execution of a step came to. `ending` "stopped": the step stays pending.

    `is_hard`: a failure that executing the step once more cannot mend.
    """

    step_id: str
    ending: Literal["advanced", "failed", "stopped"]
    summary: str = ""
    unit_count: int = 0
    failed_units: int = 0
    notices: list[str] = field(default_factory=list)
    is_hard: bool = False

    def shown(self) -> dict[str, Any]:
        """Shape this for the result of a run."""
        entry: dict[str, Any] = {
            "stepId": self.step_id,
            "ok": self.ending == "advanced",
            "status": _STATUS[self.ending],
            "unitCount": self.unit_count,
            "failedUnits": self.failed_units,
            "summary": self.summary,
        }
        return entry | ({"notices": self.notices} if self.notices else {})


def execute(drive: Drive, step: PlanStep) -> Executed:
    """Execute the run's current step and write how it ended, unless it was stopped."""
    refuse_unsupported(Plan(drive.plan.title, (step,), drive.plan.max_concurrency))
    outputs = Outputs(drive.ledger.db, drive.ledger.run_id)
    try:
        items = worklist.build(step, run_params=drive.params, outputs=outputs)
    except WorkListError as error:
        return _fail(drive, Executed(step.step_id, "failed", str(error)), {"error": str(error)})
    journal = reuse.journal(drive.ledger.db, drive.ledger.run_id, step.step_id)
    known, notices = reuse.take_over(items, journal)
    drive.observe(Progress("step_started", step.step_id, total=len(items), reused=len(known)))
    dispatched = _dispatch(drive, step, [item for item in items if item.journal_id not in known], journal)
    dispatched.results |= known
    executed = _settle(drive, step, items, dispatched)
    executed.notices[:0] = notices
    return executed


def _settle(drive: Drive, step: PlanStep, items: Sequence[WorkItem], dispatched: Dispatched) -> Executed:
    results = [dispatched.results.get(item.journal_id) or _never_ran(item) for item in items]
    executed = Executed(
        step.step_id,
        "stopped",
        unit_count=len(results),
        failed_units=sum(not result.ok for result in results),
        notices=dispatched.notices,
    )
    if drive.abort.is_set or not dispatched.is_run_active:
        executed.summary = f"Stopped ({drive.abort.reason or 'the run was ended elsewhere'})."
        executed.notices += [f"{dispatched.hard_failure}."] if dispatched.hard_failure else []
        return executed
    if dispatched.hard_failure is not None:
        executed.summary = f"Step {step.step_id} failed: {dispatched.hard_failure}."
        executed.is_hard = True
        return _fail(drive, executed, {"error": dispatched.hard_failure})
    return _end(drive, executed, reduce(step, results))


def _end(drive: Drive, executed: Executed, reduced: Reduced) -> Executed:
    executed.summary = reduced.summary
    if not reduced.ok:
        return _fail(drive, executed, reduced.evidence)
    executed.ending = "advanced"
    _write(drive, executed, states.COMPLETED, reduced.evidence)
    return executed


def _fail(drive: Drive, executed: Executed, evidence: dict[str, Any]) -> Executed:
    executed.ending = "failed"
    _write(drive, executed, states.FAILED, evidence)
    return executed


def _write(drive: Drive, executed: Executed, status: str, evidence: dict[str, Any]) -> None:
    is_done = status == states.COMPLETED
    steps.complete(
        drive.ledger.db,
        drive.ledger.run_id,
        executed.step_id,
        status=status,
        at=drive.ledger.now(),
        summary=executed.summary if is_done else None,
        notes=None if is_done else executed.summary,
        evidence_json=canonical(evidence),
    )
    drive.observe(Progress("step_ended", executed.step_id, status=status, text=executed.summary))


def _dispatch(
    drive: Drive, step: PlanStep, items: list[WorkItem], journal: Mapping[str, StepUnit]
) -> Dispatched:
    node = step.unit
    if not items or node is None:
        return Dispatched()
    runner = drive.runner_for(node)
    if runner is None:
        raise UsageError(f"Step {step.step_id} is of a kind that this version cannot run.")
    abort = Abort(drive.abort)
    try:
        setting = Setting(
            ledger=drive.ledger,
            params=drive.params,
            environment=drive.environment,
            spending=drive.spending,
            observe=drive.observe,
            runner=runner,
            width=min(width(drive, step), len(items)),
            reclaimable=frozenset(name for name, row in journal.items() if row.status == states.RUNNING),
        )
        return fan_out(setting, items, abort)
    finally:
        abort.close()


def width(drive: Drive, step: PlanStep) -> int:
    """Return how many of a step's units may run at once, by every limit that holds now."""
    limits = [drive.plan.max_concurrency, host_width(os.cpu_count() or 1), drive.max_concurrency]
    limits.append(step.root.concurrency if isinstance(step.root, MapNode) else 1)
    if step.unit is not None and isinstance(step.unit.target, CommandTarget):
        limits.append(step.unit.target.concurrency)
    return max(1, min(limit for limit in limits if limit is not None))


def _never_ran(item: WorkItem) -> UnitResult:
    return UnitResult(
        item.unit_id, False, failure_reason="aborted", diagnostic=f"{item.unit_id} was never started"
    )
