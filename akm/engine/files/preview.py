"""What a run of a workflow would be, without starting one: its frozen plan in words."""

from __future__ import annotations

from typing import Any

from akm.engine import sources
from akm.engine.workplace import Workplace
from akm.workflow import judging
from akm.workflow.plan import ChildTarget, CommandTarget, MapNode, Plan, PlanStep, RouteNode, UnitNode
from akm.workflow.plan_text import plan_json
from akm.workflow.support import not_yet


def plan(work: Workplace, target: str) -> dict[str, Any]:
    """Freeze a workflow and describe the plan. Writes nothing; missing engines are only warnings."""
    loaded = sources.load(work, target)
    frozen = sources.frozen(work, loaded, strict=False)
    text = plan_json.encode(frozen.plan)
    return {
        "ok": True,
        "ref": loaded.source.ref,
        "title": frozen.plan.title,
        "sourceFormat": "markdown",
        "sourcePath": str(loaded.source.path),
        "irVersion": frozen.plan.ir_version,
        "planHash": plan_json.digest(text),
        "published": False,
        "execution": {"maxConcurrency": frozen.plan.max_concurrency},
        **_optional(frozen.plan),
        "steps": [step(one) for one in frozen.plan.steps],
        "notices": not_yet(frozen.plan),
        "warnings": [*loaded.warnings, *frozen.warnings],
    }


def _optional(plan: Plan) -> dict[str, Any]:
    most = plan.budget
    limits = {"maxTokens": most.max_tokens, "maxUnits": most.max_units, "maxCost": most.max_cost}
    budget = {name: limit for name, limit in limits.items() if limit is not None}
    found = {"budget": budget, "params": dict(plan.params or {})}
    return {name: value for name, value in found.items() if value}


def step(one: PlanStep) -> dict[str, Any]:
    """Describe one step."""
    node = one.unit
    shown: dict[str, Any] = {
        "stepId": one.step_id,
        "sequenceIndex": one.sequence_index,
        "kind": one.root.kind,
        "targetKind": node.target.kind if node else "route",
        "inputs": list(node.inputs) if node else [],
        "environment": [{"kind": one.kind, "name": one.name} for one in node.environment] if node else [],
        "gate": {
            "criteria": list(one.gate.criteria),
            "maxLoops": judging.max_loops(one),
            "approve": one.gate.approve,
            "judgeEngine": one.gate.judge.request.get("engine") if one.gate.judge else None,
        },
        "expansion": {"via": "direct"},
    }
    if isinstance(one.root, MapNode):
        shown |= {
            "concurrency": one.root.concurrency,
            "over": one.root.over,
            "reducer": one.root.reducer,
        }
    if isinstance(one.root, RouteNode):
        when = [{"match": match, "step": target} for match, target in one.root.when]
        shown["route"] = {"input": one.root.input, "when": when, "default": one.root.default}
    if one.output_schema is not None:
        shown["outputSchema"] = one.output_schema
    if node is not None and node.isolation == "worktree":
        shown |= {"isolation": node.isolation, "commit": node.commit}
    return shown | (_target(node) if node else {})


def _target(node: UnitNode) -> dict[str, Any]:
    target = node.target
    if isinstance(target, CommandTarget):
        return {"engine": target.request.get("engine"), "timeoutMs": target.request.get("timeoutMs")}
    if isinstance(target, ChildTarget):
        bindings = [
            {"name": one.name} | ({"from": one.from_} if one.from_ else {"value": one.value})
            for one in target.input_bindings
        ]
        return {"expansion": {"via": "child", "childRef": target.ref}, "inputBindings": bindings}
    return {"command": list(target.command), "timeoutMs": target.timeout_ms}
