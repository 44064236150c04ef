"""What a plan asks for that a run cannot do yet, so that it is refused before anything is dispatched."""

from __future__ import annotations

from collections.abc import Iterator

from akm.workflow.plan import ChildTarget, CommandTarget, Plan, PlanStep, RouteNode, UnitNode


def not_yet(plan: Plan) -> list[str]:
    """Name every part of the plan that cannot be run yet, one sentence each; empty when all of it can."""
    return [sentence for step in plan.steps for sentence in _step(step)]


def _step(step: PlanStep) -> Iterator[str]:
    name = f'Step "{step.step_id}"'
    if isinstance(step.root, RouteNode):
        yield f"{name} is a route; routes are not there yet, so write the steps that should run one by one."
    if step.unit:
        yield from _unit(name, step.unit)
    if step.gate.approve:
        yield f"{name} waits for a person's approval; approvals are not there yet, so remove its gate."


def _unit(name: str, unit: UnitNode) -> Iterator[str]:
    target = unit.target
    if isinstance(target, ChildTarget):
        yield f"{name} runs another workflow; that is not there yet, so start {target.ref} by itself."
    if isinstance(target, CommandTarget) and target.runner.get("kind") in ("llm", "sdk"):
        yield f"{name} calls a model directly; llm engines are not there yet, so name an agent engine."
    if unit.isolation == "worktree":
        yield f"{name} asks for a worktree; isolation is not there yet, so remove `isolation`."
