"""The `unit` bag of a step or of a map, and which of its keys exclude each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from akm.workflow.parsing.document import Unit
from akm.workflow.parsing.fields import Field
from akm.workflow.parsing.grammar.bindings import bindings
from akm.workflow.parsing.grammar.command import command
from akm.workflow.parsing.grammar.inference import engine, llm
from akm.workflow.parsing.grammar.lists import unique_texts
from akm.workflow.parsing.grammar.schema import schema
from akm.workflow.parsing.grammar.timing import on_error, retry, timeout

_EXCLUDED = {"exec": ("engine", "model", "llm"), "workflow": ("exec", "engine", "model", "llm", "env")}
_MISPLACED = {
    "instructions": "write the instructions below `## <step id>` in the body",
    "prompt": "write the prompt below `## <step id>` in the body",
    "inputs": "`inputs` belongs on the step, beside `unit`",
    "gate": "`gate` belongs on the step, beside `unit`",
    "map": "`map` belongs on the step, with `unit` inside it",
    "command": "exec: { command: [...] }",
    "run": "exec: { command: [...] }",
    "cwd": "exec: { command: [...], cwd: ... }",
    "pass_env": "exec: { command: [...], pass_env: [...] }",
}


def _env(field: Field) -> tuple[str, ...] | None:
    return unique_texts(field, "env asset")


def _isolation(field: Field) -> str | None:
    return field.choice(("none", "worktree"))


#: Key of the bag to field of Unit and reader.
_READERS: dict[str, tuple[str, Callable[[Field], Any]]] = {
    "exec": ("exec", command),
    "workflow": ("workflow", Field.text),
    "with": ("bindings", bindings),
    "engine": ("engine", engine),
    "model": ("model", Field.text),
    "llm": ("llm", llm),
    "timeout": ("timeout", timeout),
    "retry": ("retry", retry),
    "on_error": ("on_error", on_error),
    "output": ("output", schema),
    "env": ("env", _env),
    "isolation": ("isolation", _isolation),
}


def unit(field: Field, *, in_map: bool = False) -> Unit:
    """Read what one dispatch does; faulty keys are noted and left out."""
    entries = field.mapping(tuple(_READERS), _MISPLACED) or {}
    _check_exclusions(entries)
    if in_map and "workflow" in entries:
        entries["workflow"].fail("cannot fan out: a child workflow belongs in a step's own `unit`")
    if "with" in entries and "workflow" not in entries:
        entries["with"].fail("binds parameters of a child workflow, but the unit has no `workflow`")
    values: dict[str, Any] = {}
    for key, entry in entries.items():
        name, read = _READERS[key]
        if (value := read(entry)) is not None:
            values[name] = value
    return Unit(line=field.line, **values)


def _check_exclusions(entries: dict[str, Field]) -> None:
    for key, excluded in _EXCLUDED.items():
        for other in excluded:
            if key in entries and other in entries:
                entries[other].fail(f"cannot stand beside `{key}`: remove one of the two")
    isolation = entries.get("isolation")
    if isolation is None or isolation.node.value != "worktree":
        return
    for other in ("llm", "workflow"):
        if other in entries:
            isolation.fail(f"`worktree` is for commands and agents, and cannot stand beside `{other}`")
