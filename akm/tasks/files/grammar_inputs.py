"""`inputs`: JSON Schemas with `default` and `required`, and whether literal values satisfy them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from akm.tasks.files.task import Input
from akm.workflow.parsing.fields import Field
from akm.workflow.parsing.frontmatter import Node
from akm.workflow.parsing.grammar.lists import VARIABLE_NAME
from akm.workflow.parsing.grammar.schema import schema

#: The flags of the command that runs a task; an input of such a name could not be given.
RESERVED = frozenset(
    {"bundle", "format", "detail", "shape", "output", "scheduled", "quiet", "verbose", "help", "p"}
)


def inputs(field: Field) -> dict[str, Input]:
    """Read the declared inputs, leaving out those with faults."""
    read = {name: _named(name, entry) for name, entry in (field.entries() or {}).items()}
    return {name: declared for name, declared in read.items() if declared is not None}


def unfit(declared: Input, value: Any) -> str | None:
    """Say how a value misses an input's schema, without any part of the value; None when it fits."""
    from akm.workflow.schemas import check

    found = check(declared.schema, value, root="the value", redact=True)
    return found[0] if found else None


def missing(declared: Mapping[str, Input], given: Mapping[str, Any]) -> list[str]:
    """Name the required inputs that have no default and were not given."""
    return [name for name, one in declared.items() if one.is_required and name not in given]


def _named(name: str, entry: Field) -> Input | None:
    if not VARIABLE_NAME.fullmatch(name):
        entry.fail("is no name of an input; use letters, digits and `_`, no digit first")
        return None
    if name in RESERVED:
        entry.fail(f"cannot be given, because --{name} is a flag of `akm task run`; choose another name")
        return None
    return _input(entry)


def _input(field: Field) -> Input | None:
    entries = field.entries()
    if entries is None:
        return None
    # A list is the keyword of JSON Schema for the properties of an object; only true and false are ours.
    required = entries.get("required")
    ours = {"default"} | ({"required"} if required and isinstance(required.node.value, bool) else set())
    rest = {key: entry.node for key, entry in entries.items() if key not in ours}
    read = schema(Field(Node(field.line, rest), field.report, field.path))
    if read is None:
        return None
    is_required = bool("required" in ours and required and required.node.value)
    default = entries.get("default")
    if default is None:
        return Input(read, is_required=is_required)
    declared = Input(read, default.plain, has_default=True)
    if is_required:
        default.fail("stands beside `required: true`, and a default makes a value optional; keep one of them")
    elif problem := unfit(declared, declared.default):
        default.fail(f"does not satisfy the schema of its input ({problem})")
    return declared
