"""One entry of `steps`: its id, what it does (`unit`, `map` or `route`), its inputs, output and gate."""

from __future__ import annotations

import re
from dataclasses import dataclass

from akm.workflow.parsing.document import Gate, Map, Step, Unit
from akm.workflow.parsing.fields import Field
from akm.workflow.parsing.grammar.lists import unique_texts
from akm.workflow.parsing.grammar.route import route
from akm.workflow.parsing.grammar.schema import schema
from akm.workflow.parsing.grammar.unit import unit
from akm.workflow.wording import clip

MAX_CONCURRENCY = 64
_ID = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_KEYS = ("id", "unit", "map", "route", "inputs", "output", "gate")
_IN_UNIT = (
    "exec",
    "workflow",
    "with",
    "engine",
    "model",
    "llm",
    "timeout",
    "retry",
    "on_error",
    "env",
    "isolation",
)
_MISPLACED = {
    **{key: f"unit: {{ {key}: ... }}" for key in _IN_UNIT},
    **{key: f"map: {{ {key}: ... }}" for key in ("over", "concurrency", "reducer")},
    "command": "unit: { exec: { command: [...] } }",
    "run": "unit: { exec: { command: [...] } }",
    "uses": "unit: { workflow: ... }",
    "max_loops": "gate: { max_loops: ... }",
    "name": "a step has an `id` and no name",
    "title": "a step has an `id` and no title",
    "instructions": "write the instructions below `## <step id>` in the body",
    "needs": "steps run in file order; a step's `inputs` name the outputs it needs",
    "requires": "steps run in file order; a step's `inputs` name the outputs it needs",
}


@dataclass(frozen=True, slots=True)
class Draft:
    """A step as far as the frontmatter tells it, with the place it was read from."""

    step: Step
    field: Field


def draft(field: Field, number: int) -> Draft | None:
    """Read one step; None after noting that it has no usable id."""
    named = Field(field.node, field.report, "", _owner(field, number))
    entries = named.mapping(_KEYS, _MISPLACED)
    if entries is None:
        return None
    step_id = _id(named, entries.get("id"))
    _check_kinds(entries)
    fanned = _map(entries["map"]) if "map" in entries else None
    routed = route(entries["route"]) if "route" in entries else None
    solo = unit(entries["unit"]) if "unit" in entries else None
    if "map" not in entries and "route" not in entries:
        solo = solo or Unit(line=field.line)
    inputs = unique_texts(entries["inputs"], "reference") if "inputs" in entries else None
    output = schema(entries["output"]) if "output" in entries else None
    gate = _gate(entries["gate"]) if "gate" in entries else Gate()
    if step_id is None:
        return None
    step = Step(step_id, "", gate, solo, fanned, routed, inputs or (), output, line=field.line)
    return Draft(step, named)


def _owner(field: Field, number: int) -> str:
    named = field.find("id")
    value = named.node.value if named else None
    return f"Step `{clip(value)}`" if isinstance(value, str) and _ID.fullmatch(value) else f"Step {number}"


def _id(step: Field, field: Field | None) -> str | None:
    if field is None:
        step.fail("lacks an `id`", suggestion="- id: first-step")
        return None
    text = field.text()
    if text is None or _ID.fullmatch(text):
        return text
    near = re.sub(r"[^A-Za-z0-9_-]+", "-", text).strip("-")
    field.fail(
        "must be letters, digits, `_` and `-`, beginning with a letter or `_`",
        suggestion=near if _ID.fullmatch(near) else None,
    )
    return None


def _check_kinds(entries: dict[str, Field]) -> None:
    for first, second in (("map", "unit"), ("route", "unit"), ("route", "map")):
        if first in entries and second in entries:
            inside = "; put it inside `map`" if first == "map" else ""
            entries[second].fail(f"cannot stand beside `{first}`{inside}")
    if "route" in entries and "inputs" in entries:
        field = entries["inputs"]
        field.report.warn(
            field.line, f"{field.label} does nothing on a route, which dispatches nothing: remove it."
        )


def _map(field: Field) -> Map | None:
    entries = field.mapping(("over", "concurrency", "reducer", "unit"))
    if entries is None:
        return None
    if "over" not in entries:
        field.fail("lacks `over`, the reference to the list to fan out over", suggestion="over: params.items")
    over = entries["over"].text() if "over" in entries else None
    width = entries["concurrency"].integer(1) if "concurrency" in entries else None
    reducer = entries["reducer"].choice(("collect", "vote")) if "reducer" in entries else None
    template = unit(entries["unit"], in_map=True) if "unit" in entries else Unit(line=field.line)
    return Map(
        over or "",
        template,
        concurrency=None if width is None else min(width, MAX_CONCURRENCY),
        reducer="vote" if reducer == "vote" else "collect",
    )


def _gate(field: Field) -> Gate:
    entries = field.mapping(("max_loops", "approve", "value")) or {}
    loops = entries["max_loops"].integer(1) if "max_loops" in entries else None
    approve = entries["approve"].boolean() if "approve" in entries else None
    value = schema(entries["value"]) if "value" in entries else None
    if value is not None and not approve:
        entries["value"].fail("is what a person gives with an approval; add `approve: true`, or remove it")
    return Gate(max_loops=loops or 1, approve=bool(approve), value=value)
