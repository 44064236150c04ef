"""What a step has to dispatch, as a pure function of the frozen plan, the parameters and earlier outputs.

A fresh run and a resumed one derive the same unit ids and hashes, so that finished units can be reused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from akm.workflow import references
from akm.workflow.hashing import canonical, sha256_hex
from akm.workflow.input_hash import InputHasher
from akm.workflow.parsing.document import Schema
from akm.workflow.plan import ChildTarget, CommandTarget, InputBinding, MapNode, PlanStep, RouteNode, UnitNode
from akm.workflow.schemas import check

_Pairs = tuple[tuple[str, Any], ...]


class WorkListError(ValueError):
    """A step's work cannot be listed, so none of it is dispatched; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class WorkItem:
    """One unit of a step.

    `unit_id` is what prompts, `AKM_UNIT_ID` and evidence show; `journal_id` names its rows (the same, plus
    `~l<N>` in gate loop N >= 2). `index` is None for a solo unit; otherwise `item` is the list's element.
    `inputs` holds (reference text, value) pairs in authored order, `bindings` a child workflow's parameters.
    `artifact_schema` is the step's, where this unit's text alone becomes the step's artifact.
    """

    step_id: str
    unit_id: str
    journal_id: str
    node: UnitNode
    input_hash: str
    parent_unit_id: str | None = None
    index: int | None = None
    item: Any = None
    inputs: _Pairs = ()
    gate_feedback: str | None = None
    bindings: Mapping[str, Any] = field(default_factory=dict)
    artifact_schema: Schema | None = None


def build(
    step: PlanStep,
    *,
    run_params: Mapping[str, Any],
    outputs: Mapping[str, Any],
    loop: int = 1,
    gate_feedback: str | None = None,
) -> list[WorkItem]:
    """List a step's units, in item order; a route has none.

    `outputs` maps the id of an earlier step to its output. Raises WorkListError when a reference leads
    nowhere or `map.over` is not an array of values.
    """
    if isinstance(step.root, RouteNode):
        return []
    node = step.root.template if isinstance(step.root, MapNode) else step.root
    inputs = tuple((text, _value(step, text, run_params, outputs)) for text in node.inputs)
    bindings = _bindings(step, node, run_params, outputs)
    try:
        hasher = InputHasher(step.step_id, node, inputs, bindings, run_params, gate_feedback)
    except ValueError as error:
        raise WorkListError(f'Step "{step.step_id}" cannot start: {error}.') from None

    def item(unit_id: str, text: str, index: int | None = None, value: Any = None) -> WorkItem:
        return WorkItem(
            step_id=step.step_id,
            unit_id=unit_id,
            journal_id=f"{unit_id}~l{loop}" if loop > 1 else unit_id,
            node=node,
            input_hash=hasher.hash(text),
            parent_unit_id=None if index is None else step.root.id,
            index=index,
            item=value,
            inputs=inputs,
            gate_feedback=gate_feedback,
            bindings=bindings,
            artifact_schema=artifact_schema(step),
        )

    if not isinstance(step.root, MapNode):
        return [item(f"{step.step_id}:solo", "null")]
    items = _items(step, step.root.over, run_params, outputs)
    identified = enumerate(_identified(step.step_id, items))
    return [item(unit_id, text, index, value) for index, (value, text, unit_id) in identified]


def artifact_schema(step: PlanStep) -> Schema | None:
    """Return the schema of a step's artifact where that is what one engine writes by itself."""
    is_written = isinstance(step.root, UnitNode) and isinstance(step.root.target, CommandTarget)
    return step.output_schema if is_written and step.unit and step.unit.schema is None else None


def _value(step: PlanStep, text: str, params: Mapping[str, Any], outputs: Mapping[str, Any]) -> Any:
    try:
        return references.resolve(references.parse(text), params, outputs)
    except ValueError as error:
        raise WorkListError(f'Step "{step.step_id}" cannot start: {error}') from None


def _items(
    step: PlanStep, over: str, params: Mapping[str, Any], outputs: Mapping[str, Any]
) -> list[tuple[Any, str]]:
    """Resolve the list to fan out over, each element with its canonical text."""
    found = _value(step, over, params, outputs)
    if not isinstance(found, (list, tuple)):
        raise WorkListError(
            f'Step "{step.step_id}" cannot start: {over} is not an array, and map.over needs one.'
        )
    items = []
    for index, item in enumerate(found):
        if item is None:
            raise WorkListError(
                f'Step "{step.step_id}" cannot start: {over}[{index}] is null, which is no work.'
            )
        try:
            items.append((item, canonical(item)))
        except ValueError as error:
            raise WorkListError(f'Step "{step.step_id}" cannot start: {over}[{index}]: {error}.') from None
    return items


def _identified(step_id: str, items: list[tuple[Any, str]]) -> list[tuple[Any, str, str]]:
    """Give each item an id made of its content, so that reordering a list keeps the ids."""
    seen: dict[str, int] = {}
    identified = []
    for item, text in items:
        occurrence = seen[text] = seen.get(text, 0) + 1
        unit_id = f"{step_id}.unit:{sha256_hex(text)}"
        identified.append((item, text, unit_id if occurrence == 1 else f"{unit_id}#{occurrence}"))
    return identified


def _bindings(
    step: PlanStep, node: UnitNode, params: Mapping[str, Any], outputs: Mapping[str, Any]
) -> dict[str, Any]:
    if not isinstance(node.target, ChildTarget):
        return {}
    return {binding.name: _bound(step, binding, params, outputs) for binding in node.target.input_bindings}


def _bound(
    step: PlanStep, binding: InputBinding, params: Mapping[str, Any], outputs: Mapping[str, Any]
) -> Any:
    if binding.from_ is None:
        return binding.value
    value = _value(step, binding.from_, params, outputs)
    if binding.schema:
        misses = check(binding.schema, value, root=f"with.{binding.name}", redact=True)
        if misses:
            raise WorkListError(f'Step "{step.step_id}" cannot start: {"; ".join(misses)}.')
    return value
