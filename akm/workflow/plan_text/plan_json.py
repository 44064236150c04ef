"""A frozen plan as canonical JSON, the text that a run's row keeps. Reading it back is in `plan_decode`.

Keys are in camel case; an optional key is absent rather than null or empty.
"""

from __future__ import annotations

from typing import Any

from akm.workflow.hashing import canonical, sha256_hex
from akm.workflow.parsing.document import Budget
from akm.workflow.plan import GateNode, MapNode, Plan, PlanStep, RouteNode, Source, UnitNode
from akm.workflow.plan_text.plan_decode import PlanUndecodable, decode
from akm.workflow.plan_text.plan_json_targets import (
    Json,
    command_json,
    environment_json,
    present,
    target_json,
)

__all__ = ["PlanUndecodable", "decode", "digest", "encode"]


def encode(plan: Plan) -> str:
    """Write a plan as canonical JSON; equal plans give equal texts."""
    body = {
        "irVersion": plan.ir_version,
        "title": plan.title,
        "execution": {"maxConcurrency": plan.max_concurrency},
        "steps": [_step(step) for step in plan.steps],
        **present(
            params=list(plan.params or ()),
            paramSchemas=dict(plan.params or {}),
            budget=_budget(plan.budget),
            prices={model: price._asdict() for model, price in plan.prices.items()},
            sourceHash=plan.source_hash,
        ),
    }
    return canonical(body)


def digest(text: str) -> str:
    """Digest a plan's canonical text; it says where a run comes from and refuses nothing."""
    return sha256_hex(text)


def _schema(name: str, schema: Any) -> Json:
    # An empty schema accepts everything, and still makes the unit's output JSON.
    return {} if schema is None else {name: dict(schema)}


def _budget(budget: Budget) -> Json:
    return present(maxUnits=budget.max_units, maxTokens=budget.max_tokens, maxCost=budget.max_cost)


def _step(step: PlanStep) -> Json:
    return {
        "stepId": step.step_id,
        "title": step.step_id,
        "sequenceIndex": step.sequence_index,
        "gate": _gate(step.gate),
        "root": _root(step.root),
        **_schema("outputSchema", step.output_schema),
    }


def _gate(gate: GateNode) -> Json:
    return {
        "kind": "gate",
        "id": gate.id,
        "stepId": gate.step_id,
        "criteria": list(gate.criteria),
        "maxLoops": gate.max_loops,
        "frozenJudge": command_json(gate.judge) if gate.judge else None,
        **({"approve": True} if gate.approve else {}),
        **_schema("valueSchema", gate.value_schema),
    }


def _root(root: UnitNode | MapNode | RouteNode) -> Json:
    if isinstance(root, UnitNode):
        return _unit(root)
    return _map(root) if isinstance(root, MapNode) else _route(root)


def _unit(unit: UnitNode) -> Json:
    retry = {"max": unit.retry.max, "on": list(unit.retry.on)} if unit.retry else None
    return {
        "kind": "unit",
        "id": unit.id,
        "instructions": unit.instructions,
        "onError": unit.on_error,
        "frozenTarget": target_json(unit.target),
        "environment": environment_json(unit.environment),
        **_schema("schema", unit.schema),
        **present(inputs=list(unit.inputs), retry=retry, env=list(unit.env), source=_source(unit.source)),
        **({"isolation": "worktree"} if unit.isolation == "worktree" else {}),
        **present(commit=unit.commit),
    }


def _map(node: MapNode) -> Json:
    return {
        "kind": "map",
        "id": node.id,
        "over": node.over,
        "template": _unit(node.template),
        "concurrency": node.concurrency,
        "reducer": node.reducer,
        **present(source=_source(node.source)),
    }


def _route(node: RouteNode) -> Json:
    return {
        "kind": "route",
        "id": node.id,
        "input": node.input,
        "when": [{"match": match, "step": step} for match, step in node.when],
        **present(default=node.default),
    }


def _source(source: Source | None) -> Json | None:
    return {"path": source.path, "start": source.start, "end": source.end} if source else None
