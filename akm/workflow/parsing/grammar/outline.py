"""The whole frontmatter of a workflow: the envelope, then `params`, `defaults`, `budget` and `steps`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from akm.workflow.parsing.document import Budget, Defaults, Schema
from akm.workflow.parsing.fields import Field
from akm.workflow.parsing.grammar.bindings import PARAM_NAME
from akm.workflow.parsing.grammar.envelope import CHECKS
from akm.workflow.parsing.grammar.inference import engine, llm
from akm.workflow.parsing.grammar.schema import schema
from akm.workflow.parsing.grammar.step import Draft, draft
from akm.workflow.parsing.grammar.timing import on_error, timeout

_MISPLACED = {
    "name": "a workflow is called by its file's name",
    "title": "a workflow is called by its file's name",
    "version": "a workflow has no version; remove the key",
    "outputs": "a run has no outputs of its own; give the last step an `output` schema and read its output",
    "gate": "`gate` belongs on a step",
    "engine": "defaults: { engine: ... }",
    "model": "defaults: { model: ... }",
    "timeout": "defaults: { timeout: ... }",
    "on_error": "defaults: { on_error: ... }",
    "llm": "defaults: { llm: { ... } }",
    "max_units": "budget: { max_units: ... }",
    "max_tokens": "budget: { max_tokens: ... }",
    "max_cost": "budget: { max_cost: ... }",
}
_DEFAULTS: dict[str, Callable[[Field], Any]] = {
    "engine": engine,
    "model": Field.text,
    "timeout": timeout,
    "on_error": on_error,
    "llm": llm,
}


@dataclass(frozen=True, slots=True)
class Outline:
    """What the frontmatter says. `params` is None when there is no such block; steps have no prose yet.

    `is_complete` is False when a step is missing from `drafts` because its id cannot be used.
    """

    description: str | None = None
    params: Mapping[str, Schema] | None = None
    defaults: Defaults = field(default_factory=Defaults)
    budget: Budget = field(default_factory=Budget)
    drafts: tuple[Draft, ...] = ()
    is_complete: bool = True


def outline(root: Field) -> Outline:
    """Read the frontmatter; whatever is faulty is noted and left out."""
    entries = root.mapping((*CHECKS, "params", "defaults", "budget", "steps"), _MISPLACED)
    if entries is None:
        return Outline(is_complete=False)
    drafts = _steps(root, entries.get("steps"))
    for key in entries.keys() & CHECKS.keys():
        CHECKS[key](entries[key])
    description = entries["description"].node.value if "description" in entries else None
    return Outline(
        description.strip() if isinstance(description, str) else None,
        _params(entries["params"]) if "params" in entries else None,
        _defaults(entries["defaults"]) if "defaults" in entries else Defaults(),
        _budget(entries["budget"]) if "budget" in entries else Budget(),
        tuple(made for made in drafts if made is not None),
        None not in drafts and bool(drafts),
    )


def _params(field: Field) -> Mapping[str, Schema] | None:
    """Read every declaration; a faulty one stays declared, so that references to it are not noted as well."""
    entries = field.entries()
    if entries is None:
        return None
    params: dict[str, Schema] = {}
    for name, entry in entries.items():
        if not PARAM_NAME.fullmatch(name):
            entry.fail("must be called by letters, digits and `_`, with no digit first")
        if isinstance(entry.node.value, str):
            _prose_param(entry, entry.node.value)
            params[name] = {}
        else:
            params[name] = schema(entry) or {}
    return params


def _prose_param(field: Field, prose: str) -> None:
    """Explain a parameter in the manner of the older grammar, whose description was its whole declaration."""
    import json

    described = json.dumps(" ".join(prose.split()), ensure_ascii=False)
    field.fail(
        "is a text, but a parameter is declared by a schema with its type",
        suggestion=f"{{ type: string, description: {described} }}",
    )


def _defaults(field: Field) -> Defaults:
    entries = field.mapping(tuple(_DEFAULTS)) or {}
    return Defaults(**{key: _DEFAULTS[key](entry) for key, entry in entries.items()})


def _budget(field: Field) -> Budget:
    entries = field.mapping(tuple(_BUDGET)) or {}
    return Budget(**{key: _BUDGET[key](entry) for key, entry in entries.items()})


def _count(field: Field) -> int | None:
    return field.integer(1)


_BUDGET: dict[str, Callable[[Field], Any]] = {
    "max_units": _count,
    "max_tokens": _count,
    "max_cost": Field.amount,
}


def _steps(root: Field, entry: Field | None) -> list[Draft | None]:
    """Read every step, None where one has no usable id; only the first of those with one id is kept."""
    if entry is None:
        root.fail(
            "lacks `steps`, the list of steps in the order they run", suggestion="steps: [{ id: first-step }]"
        )
        return []
    items = entry.items()
    if items is not None and not items:
        entry.fail("is an empty list; a workflow has at least one step")
    lines: dict[str, int] = {}
    drafts: list[Draft | None] = []
    for number, item in enumerate(items or (), start=1):
        made = draft(item, number)
        if made is not None and made.step.id in lines:
            first = lines[made.step.id]
            entry.report.error(
                item.line,
                f"Step {number} has the id `{made.step.id}` of the step on line {first}; ids are unique.",
            )
            continue
        if made is not None:
            lines[made.step.id] = item.line
        drafts.append(made)
    return drafts
