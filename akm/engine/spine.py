"""The step rows that a run is born with."""

from __future__ import annotations

import json

from akm.services.runs import NewStep
from akm.workflow.plan import Plan


def spine(plan: Plan) -> list[NewStep]:
    """Return the step rows of a plan."""
    return [
        NewStep(
            step_id=step.step_id,
            step_title=step.step_id,
            instructions=step.unit.instructions if step.unit else "",
            completion_json=json.dumps(step.gate.criteria, ensure_ascii=False)
            if step.gate.criteria
            else None,
            sequence_index=step.sequence_index,
        )
        for step in plan.steps
    ]
