"""Units of a step that are finished already: whatever changed since, they are not dispatched again."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from akm import states
from akm.engine.outputs import Outputs
from akm.errors import UsageError
from akm.store.database import Database
from akm.store.sql import StepUnit
from akm.views import runs, units
from akm.workflow import worklist
from akm.workflow.plan import PlanStep
from akm.workflow.plan_text import plan_json
from akm.workflow.reduce import UnitResult, rehydrate
from akm.workflow.worklist import WorkItem, WorkListError

# Old databases numbered repeated attempts in the unit's id.
_REPEATED = re.compile(r"~r\d+\Z")


def journal(rows: Iterable[StepUnit]) -> dict[str, StepUnit]:
    """Return a step's units by journal id, without the calls of its judge."""
    return {_REPEATED.sub("", row.unit_id): row for row in rows if row.phase != "gate"}


def take_over(
    items: Sequence[WorkItem], rows: Mapping[str, StepUnit]
) -> tuple[dict[str, UnitResult], list[str]]:
    """Take over the units that are completed, whatever their recorded input; a changed input is said."""
    known, notices = {}, []
    for item in items:
        row = rows.get(item.journal_id)
        if row is None or row.status != states.COMPLETED:
            continue
        has_schema = item.node.schema is not None
        known[item.journal_id] = _rehydrated(row, item, has_schema)
        if _is_stale(row, item):
            notices.append(f"{item.unit_id} is reused although its input has changed since it ran.")
    return known, notices


def _rehydrated(row: StepUnit, item: WorkItem, has_schema: bool) -> UnitResult:
    try:
        return rehydrate(row.status, row.result_json, has_schema, row.failure_reason, item.unit_id)
    except ValueError as error:
        raise UsageError(f"{error}; abandon the run and start it afresh.") from None


def changed(db: Database, run_id: str) -> frozenset[str]:
    """Name the completed units whose recorded input is not what the plan asks for now.

    Empty when the plan or the parameters cannot be read: then nothing can be said.
    """
    stored = runs.plan(db, run_id)
    try:
        plan = plan_json.decode((stored.plan_json if stored is not None else None) or "")
        params = json.loads(runs.head(db, run_id).params_json)
    except ValueError:
        return frozenset()
    outputs = Outputs(db, run_id)
    return frozenset(name for step in plan.steps for name in _changed(db, run_id, step, params, outputs))


def _changed(
    db: Database, run_id: str, step: PlanStep, params: Mapping[str, Any], outputs: Outputs
) -> list[str]:
    rows = journal(units.of_step(db, run_id, step.step_id))
    if not rows:
        return []
    try:
        items = worklist.build(step, run_params=params, outputs=outputs)
    except WorkListError:
        return []
    return [item.journal_id for item in items if _is_stale(rows.get(item.journal_id), item)]


def _is_stale(row: StepUnit | None, item: WorkItem) -> bool:
    return row is not None and row.status == states.COMPLETED and row.input_hash != item.input_hash
