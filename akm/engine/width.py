"""How many units of a step may run at once here, by every limit that holds now."""

from __future__ import annotations

import os

from akm.workflow.freezing.freeze import host_width
from akm.workflow.plan import CommandTarget, MapNode, Plan, PlanStep


def of_plan(plan: Plan) -> int:
    """Return how many units of any step may run at once on this machine."""
    return min(plan.max_concurrency, host_width(os.cpu_count() or 1))


def of_step(plan: Plan, step: PlanStep, asked: int | None = None) -> int:
    """Return the same for one step; `asked` is what the invocation narrows it to, None for nothing."""
    limits = [of_plan(plan), asked, step.root.concurrency if isinstance(step.root, MapNode) else 1]
    if step.unit is not None and isinstance(step.unit.target, CommandTarget):
        limits.append(step.unit.target.concurrency)
    return max(1, min(limit for limit in limits if limit is not None))
