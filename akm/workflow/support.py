"""What a plan asks for that a run cannot do yet, so that it is refused before anything is dispatched."""

from __future__ import annotations

from collections.abc import Iterator

from akm.workflow.plan import CommandTarget, Plan, PlanStep, UnitNode


def not_yet(plan: Plan) -> list[str]:
    """Name every part of the plan that cannot be run yet, one sentence each; empty when all of it can."""
    return [sentence for step in plan.steps for sentence in _step(step)]


def _step(step: PlanStep) -> Iterator[str]:
    name = f'Step "{step.step_id}"'
    if step.unit:
        yield from _unit(name, step.unit)


def _unit(name: str, unit: UnitNode) -> Iterator[str]:
    target = unit.target
    if isinstance(target, CommandTarget) and target.runner.get("kind") == "sdk":
        yield f"{name} has an engine of kind sdk, which is not there; name one of kind agent or llm."
