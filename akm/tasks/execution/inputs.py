"""The inputs of one run of a task: from flags, a schedule's literals and defaults to values that fit.

No message ever holds a rejected value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Literal

from akm.errors import UsageError
from akm.spelling import suggestion
from akm.tasks.files.grammar_inputs import missing, unfit
from akm.tasks.files.task import Input, Task
from akm.workflow.coercion import Misfit, Raw, coerce_values

BINDING_INVALID = "INPUT_BINDING_INVALID"
Origin = Literal["flag", "schedule-binding", "default"]
Given = Sequence[tuple[str, Raw]] | Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Bound:
    """The values of the inputs, in the order in which they are declared, and where each came from."""

    values: Mapping[str, Any]
    provenance: Mapping[str, Origin]


def bind(task: Task, given: Given = (), schedule_inputs: Mapping[str, Any] | None = None) -> Bound:
    """Give every input its value: a flag before a schedule's literal before the default.

    A sequence holds flags as texts, or True for one that stood alone; a mapping holds JSON values. Raises
    UsageError `UNKNOWN_FLAG` or `INPUT_BINDING_INVALID` with every problem.
    """
    bound = resolve(task, given, schedule_inputs)
    lacking = missing(task.inputs, bound.values)
    if lacking:
        flags = " ".join(f"--{name} VALUE" for name in lacking)
        raise UsageError(
            f"The task {task.ref} needs {', '.join(lacking)}: add {flags}.", code=BINDING_INVALID
        )
    return bound


def resolve(task: Task, given: Given = (), schedule_inputs: Mapping[str, Any] | None = None) -> Bound:
    """Do as `bind`, but leave out the required inputs that have no value."""
    flags = dict(given) if isinstance(given, Mapping) else _grouped(given)
    _refuse_unknown(task, [*flags, *(schedule_inputs or {})])
    if not isinstance(given, Mapping):
        flags = _coerced(flags, task.inputs)
    defaults = {name: deepcopy(one.default) for name, one in task.inputs.items() if one.has_default}
    literals = dict(schedule_inputs or {})
    values, provenance = {}, {}
    layers: tuple[tuple[Origin, dict[str, Any]], ...] = (
        ("flag", flags), ("schedule-binding", literals), ("default", defaults),
    )  # fmt: skip
    for name in task.inputs:
        for origin, layer in layers:
            if name in layer:
                values[name], provenance[name] = layer[name], origin
                break
    problems = {name: unfit(task.inputs[name], value) for name, value in values.items()}
    _refuse([f'Input "{name}" does not fit its schema ({why}).' for name, why in problems.items() if why])
    return Bound(values, provenance)


def _grouped(given: Sequence[tuple[str, Raw]]) -> dict[str, Any]:
    grouped: dict[str, list[Raw]] = {}
    for name, raw in given:
        grouped.setdefault(name, []).append(raw)
    return dict(grouped)


def _coerced(grouped: Mapping[str, Any], declared: Mapping[str, Input]) -> dict[str, Any]:
    values, problems = {}, []
    for name, raws in grouped.items():
        try:
            values[name] = coerce_values(raws, declared[name].schema)
        except Misfit as misfit:
            problems.append(f'Input "{name}" {misfit}.')
    _refuse(problems)
    return values


def _refuse_unknown(task: Task, names: Sequence[str]) -> None:
    unknown = next((name for name in names if name not in task.inputs), None)
    if unknown is None:
        return
    shown = f"--{unknown}" if unknown.isprintable() and len(unknown) <= 80 else "(unprintable)"
    declared = f"declared are {', '.join(task.inputs)}" if task.inputs else "it declares none"
    raise UsageError(
        f"The task {task.ref} has no input {shown}: {declared}.",
        code="UNKNOWN_FLAG",
        hint=suggestion(unknown, task.inputs) or f"See them with: akm task show {task.ref}",
    )


def _refuse(problems: list[str]) -> None:
    if problems:
        raise UsageError("\n".join(problems), code=BINDING_INVALID)
