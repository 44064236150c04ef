"""Reading a stored plan back, of whichever version wrote it.

Unknown keys are ignored and missing trifles are filled in; only what a run cannot do without is required.
Hashes and version numbers are never a reason to refuse.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from akm.workflow.parsing.document import Budget, Retry, Schema
from akm.workflow.plan import GateNode, MapNode, Plan, PlanStep, RouteNode, Source, UnitNode
from akm.workflow.plan_text.plan_decode_targets import command, environment, target
from akm.workflow.plan_text.plan_fields import Field, PlanUndecodable
from akm.workflow.prices import Price

__all__ = ["PlanUndecodable", "decode", "decode_value"]


def decode(text: str) -> Plan:
    """Read a plan's JSON text. Raises PlanUndecodable, which names the field at fault."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise PlanUndecodable("the plan: is not JSON") from None
    return decode_value(value)


def decode_value(value: Any, path: str = "") -> Plan:
    """Read a plan from parsed JSON, such as one embedded in another at `path`."""
    plan = Field(value, path)
    steps = plan.get("steps").items()
    if not steps:
        raise plan.get("steps").fail("is empty")
    execution = plan.get("execution")
    width = execution.get("maxConcurrency").count_or(1) if plan.has("execution") else 1
    return Plan(
        title=plan.get("title").text_or("workflow"),
        steps=tuple(_step(step, position) for position, step in enumerate(steps)),
        max_concurrency=width or 1,
        source_hash=plan.get("sourceHash").optional_text(),
        params=_params(plan),
        budget=_budget(plan),
        prices=_prices(plan.get("prices")),
        ir_version=plan.get("irVersion").count_or(0, least=0) or 0,
    )


def _params(plan: Field) -> Mapping[str, Schema] | None:
    schemas = plan.get("paramSchemas").optional_mapping() or {}
    names = dict.fromkeys([*plan.get("params").texts(), *schemas])
    return {name: Field(schemas.get(name)).optional_mapping() or {} for name in names} or None


def _budget(plan: Field) -> Budget:
    budget = Field(plan.get("budget").optional_mapping() or {}, "budget")
    return Budget(
        budget.get("maxUnits").count_or(None),
        budget.get("maxTokens").count_or(None),
        budget.get("maxCost").amount() or None,
    )


def _prices(prices: Field) -> Mapping[str, Price]:
    found = {}
    for model in prices.optional_mapping() or {}:
        price = Field(prices.get(model).optional_mapping() or {})
        read, written = price.get("input").amount(), price.get("output").amount()
        if read is not None and written is not None:
            found[model] = Price(read, written)
    return found


def _step(step: Field, position: int) -> PlanStep:
    step_id = step.get("stepId").text()
    return PlanStep(
        step_id=step_id,
        sequence_index=position,
        root=_root(step.get("root"), step_id),
        gate=_gate(step.get("gate"), step_id),
        output_schema=step.get("outputSchema").optional_mapping(),
    )


def _gate(gate: Field, step_id: str) -> GateNode:
    found = Field(gate.optional_mapping() or {}, gate.path)
    criteria = found.get("criteria").texts()
    judge = command(found.get("frozenJudge")) if criteria and found.has("frozenJudge") else None
    return GateNode(
        id=found.get("id").text_or(f"{step_id}.gate"),
        step_id=step_id,
        criteria=criteria,
        max_loops=found.get("maxLoops").count_or(1) or 1,
        judge=judge,
        approve=found.get("approve").value is True,
        value_schema=found.get("valueSchema").optional_mapping(),
    )


def _root(root: Field, step_id: str) -> UnitNode | MapNode | RouteNode:
    kind = root.get("kind").text()
    if kind == "unit":
        return _unit(root, step_id)
    if kind == "map":
        return _map(root, step_id)
    if kind == "route":
        return _route(root, step_id)
    raise root.get("kind").fail("names an unknown kind of step")


def _map(root: Field, step_id: str) -> MapNode:
    return MapNode(
        id=root.get("id").text_or(f"{step_id}.map"),
        over=root.get("over").text(),
        template=_unit(root.get("template"), f"{step_id}.unit"),
        concurrency=root.get("concurrency").count_or(1) or 1,
        reducer="vote" if root.get("reducer").value == "vote" else "collect",
        source=_source(root.get("source")),
    )


def _route(root: Field, step_id: str) -> RouteNode:
    branches = root.get("when").items()
    return RouteNode(
        id=root.get("id").text_or(f"{step_id}.route"),
        input=root.get("input").text(),
        when=tuple((branch.get("match").text_or(""), branch.get("step").text()) for branch in branches),
        default=root.get("default").optional_text(),
    )


def _unit(unit: Field, fallback_id: str) -> UnitNode:
    return UnitNode(
        id=unit.get("id").text_or(fallback_id),
        instructions=unit.get("instructions").text_or(""),
        target=target(unit.get("frozenTarget")),
        inputs=unit.get("inputs").texts(),
        schema=unit.get("schema").optional_mapping(),
        retry=_retry(unit.get("retry")),
        on_error="continue" if unit.get("onError").value == "continue" else "fail",
        env=unit.get("env").texts(),
        environment=environment(unit.get("environment")),
        isolation="worktree" if unit.get("isolation").value == "worktree" else "none",
        commit=unit.get("commit").optional_text(),
        source=_source(unit.get("source")),
    )


def _retry(retry: Field) -> Retry | None:
    if retry.optional_mapping() is None:
        return None
    return Retry(retry.get("max").count_or(0, least=0) or 0, retry.get("on").texts())


def _source(source: Field) -> Source | None:
    if source.optional_mapping() is None:
        return None
    lines = (source.get(key).count_or(0, least=0) or 0 for key in ("start", "end"))
    return Source(source.get("path").text_or(""), *lines)
