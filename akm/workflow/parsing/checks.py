"""Rules that span steps: references only reach back, routes only reach forward, settings that do nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Literal

from akm.workflow.parsing.document import Step
from akm.workflow.parsing.fields import Field
from akm.workflow.parsing.grammar.outline import Outline
from akm.workflow.parsing.report import Report
from akm.workflow.wording import clip

Position = Literal["inputs", "map.over", "with", "route.input"]


def check_references(outline: Outline) -> None:
    """Note every reference that is malformed, or that points at what is not there yet when its step runs."""
    order = {draft.step.id: index for index, draft in enumerate(outline.drafts)}
    for draft in outline.drafts:
        for position, field in _references(draft.field):
            _check(position, field, order, draft.step.id, outline.params)


def _references(step: Field) -> Iterator[tuple[Position, Field]]:
    inputs = step.find("inputs")
    if inputs is not None and isinstance(inputs.node.value, tuple):
        yield from (("inputs", item) for item in inputs.items() or ())
    if over := step.find("map", "over"):
        yield "map.over", over
    if source := step.find("route", "input"):
        yield "route.input", source
    bindings = step.find("unit", "with")
    if bindings is not None and isinstance(bindings.node.value, dict):
        for binding in (bindings.entries() or {}).values():
            if source := binding.find("from"):
                yield "with", source


def _check(
    position: Position, field: Field, order: Mapping[str, int], own: str, params: Collection[str] | None
) -> None:
    from akm.workflow.references import parse

    text = field.node.value
    if not isinstance(text, str) or not text.strip():
        return  # Noted by the grammar.
    try:
        reference = parse(text)
    except ValueError as error:
        field.report.error(field.line, f"{field.label}: {error}", suggestion=_repaired(text, order))
        return
    if reference.kind != "params":
        _check_step(field, reference.name, order, own)
    elif position == "inputs":
        field.fail(f"refers to a parameter, which every step sees anyway; remove `{reference.text}`")
    elif params is not None and reference.name not in params:
        _undeclared(position, field, reference.name, params)


def _repaired(text: str, ids: Collection[str]) -> str | None:
    """Guess what was meant: a step's bare id, or a step without `.output`."""
    name = text.strip().removeprefix("${{").removesuffix("}}").strip().removeprefix("steps.").split(".")[0]
    return f"steps.{name}.output" if name in ids else None


def _check_step(field: Field, name: str, order: Mapping[str, int], own: str) -> None:
    if name not in order:
        near = field.report.nearest(name, (it for it, index in order.items() if index < order[own]))
        field.fail(
            f"refers to step `{clip(name)}`, which does not exist",
            suggestion=f"steps.{near}.output" if near else None,
        )
    elif name == own:
        field.fail("refers to its own step, whose output does not exist before it ran")
    elif order[name] > order[own]:
        field.fail(f"refers to step `{name}`, which runs later; only earlier steps have an output")


def _undeclared(position: Position, field: Field, name: str, params: Collection[str]) -> None:
    near = field.report.nearest(name, params)
    suggestion = f"params.{near}" if near else None
    message = f"refers to parameter `{name}`, which `params` does not declare"
    if position == "map.over":
        field.report.warn(field.line, f"{field.label} {message}.", suggestion=suggestion)
    else:
        field.fail(message, suggestion=suggestion)


def check_loops(steps: Sequence[Step], report: Report) -> None:
    """Advise about gate loops that never happen: a command is judged once and not run again."""
    for step in steps:
        work = step.map.unit if step.map else step.unit
        if work and work.exec and step.gate.criteria and step.gate.max_loops > 1:
            report.warn(
                step.line,
                f"Step `{step.id}`: `gate.max_loops` does nothing: a command is judged once; remove it.",
            )
