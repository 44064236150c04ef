"""From a unit to the row that reserves its attempt, and from an outcome to the row that ends it."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from akm.engine.runners.base import Dispatch, Outcome, failed
from akm.services.attempts import Finished, Wanted
from akm.workflow.plan import CommandTarget
from akm.workflow.results import UnitResult, journal_text
from akm.workflow.worklist import WorkItem


def wanted(item: WorkItem, worktree_path: str | None = None) -> Wanted:
    """Shape the reservation of a unit's next attempt."""
    target = item.node.target
    is_command = isinstance(target, CommandTarget)
    request = target.request if isinstance(target, CommandTarget) else {}
    return Wanted(
        unit_id=item.journal_id,
        step_id=item.step_id,
        node_id=item.node.id,
        phase="unit",
        input_hash=item.input_hash,
        runner=str(target.runner["kind"]) if isinstance(target, CommandTarget) else "exec",
        engine=request.get("engine") if is_command else None,
        model=request.get("model") if is_command else None,
        parent_unit_id=item.parent_unit_id,
        worktree_path=worktree_path,
    )


class Settled(NamedTuple):
    """The end of an attempt: for reduction, as it counts, and as the row that is written."""

    result: UnitResult
    outcome: Outcome
    row: Finished


def settle(dispatch: Dispatch, outcome: Outcome) -> Settled:
    """Shape the end of an attempt; a result that is no JSON makes the unit fail."""
    item = dispatch.item
    result = _unit_result(item, outcome)
    try:
        text = journal_text(result)
    except ValueError as error:
        unusable = failed("dispatch_error", f"the result of {item.unit_id} is not JSON: {error}")
        # What it spent is spent, and what it left behind is there, all the same.
        outcome = replace(
            unusable,
            tokens=outcome.tokens,
            cost=outcome.cost,
            session_id=outcome.session_id,
            worktree=outcome.worktree,
        )
        result = _unit_result(item, outcome)
        text = journal_text(result)
    return Settled(result, outcome, _finished(dispatch, outcome, text))


def _unit_result(item: WorkItem, outcome: Outcome) -> UnitResult:
    return UnitResult(
        unit_id=item.unit_id,
        ok=outcome.is_ok,
        text=outcome.text,
        result=outcome.result,
        has_result=outcome.has_result,
        failure_reason=outcome.failure_reason,
        diagnostic=outcome.diagnostic,
    )


def _finished(dispatch: Dispatch, outcome: Outcome, result_json: str | None) -> Finished:
    return Finished(
        unit_id=dispatch.item.journal_id,
        attempt=dispatch.attempt,
        dispatch_id=dispatch.dispatch_id,
        status=outcome.status,
        result_json=result_json,
        tokens=outcome.tokens,
        cost=outcome.cost,
        failure_reason=outcome.failure_reason,
        session_id=outcome.session_id,
        worktree_path=outcome.worktree,
    )
