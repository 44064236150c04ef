"""Whether a run can be gone on with here on its frozen plan, and if not, why. Nothing is started."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace

from akm import states
from akm.workflow import support
from akm.workflow.plan import IR_VERSION, ChildTarget, CommandTarget, Plan, PlanStep, ShellTarget
from akm.workflow.plan_text import plan_decode


def obstacle(text: str | None, version: int | None, steps: Mapping[str, str]) -> str | None:
    """Say what keeps a run from being gone on with; None when nothing does.

    `text` and `version` are its plan's; `steps` maps the ids of its steps to their states.
    """
    if text is None:
        return "it has no frozen plan"
    try:
        plan = plan_decode.decode(text)
    except plan_decode.PlanUndecodable as error:
        if version is not None and version > IR_VERSION:
            return f"its plan has format {version}, newer than this akm's {IR_VERSION}; upgrade akm"
        return f"its plan, of format {version or 'unknown'}, cannot be read any more ({error})"
    return _missing(plan, steps) or _unsupported(plan, steps)


def _missing(plan: Plan, steps: Mapping[str, str]) -> str | None:
    planned = {step.step_id for step in plan.steps}
    for name in sorted(planned - steps.keys()):
        return f'step "{name}" of its plan has no row'
    for name in sorted(steps.keys() - planned):
        return f'its plan has no step "{name}"'
    return None


def _unsupported(plan: Plan, steps: Mapping[str, str]) -> str | None:
    ended = (states.COMPLETED, states.SKIPPED)
    left = tuple(step for step in plan.steps if steps[step.step_id] not in ended)
    found = support.not_yet(replace(plan, steps=left))
    if found:
        return found[0].removesuffix(".")
    return next(filter(None, map(_unstartable, left)), None)


def _unstartable(step: PlanStep) -> str | None:
    name, gate = f'step "{step.step_id}"', step.gate
    if gate.criteria and not gate.approve:
        if gate.judge is None:
            return f"{name} has a rubric, and its plan names no judge"
        if (lacking := _lacking(gate.judge)) is not None:
            return f"the judge of {name} {lacking}"
    target = step.unit.target if step.unit is not None else None
    if isinstance(target, ChildTarget) and target.frozen_plan is None:
        return f"{name} runs another workflow, whose plan is not within its own"
    if isinstance(target, CommandTarget) and (lacking := _lacking(target)) is not None:
        return f"{name} {lacking}"
    if not isinstance(target, CommandTarget | ShellTarget):
        return None
    if target.cwd_identity is None:
        return f"{name} has no base directory in its plan"
    folder = target.cwd_identity.real_root
    return None if os.path.isdir(folder) else f"its directory {folder} is not on this machine"


def _lacking(target: CommandTarget) -> str | None:
    # Of an engine akm-cli froze the name of a profile, which means something to akm-cli alone.
    if target.runner.get("kind") == "llm":
        is_whole = target.runner.get("baseUrl") and target.request.get("model")
        return None if is_whole else "names a model without its endpoint, so nothing here can ask it"
    if target.runner.get("command"):
        return None
    return "names an agent without its command, so nothing here can start it"
