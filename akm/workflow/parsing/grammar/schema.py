"""Schemas inside the frontmatter, and the line of each fault in one. What a schema may hold is not here."""

from __future__ import annotations

from akm.workflow.parsing.document import Schema
from akm.workflow.parsing.fields import Field
from akm.workflow.parsing.frontmatter import Node


def schema(field: Field) -> Schema | None:
    """Read a JSON Schema; None after noting what keeps it from being one."""
    if field.entries() is None:
        return None
    value: Schema = field.plain
    return value if _is_sound(field, value) else None


def _is_sound(field: Field, value: Schema) -> bool:
    from akm.workflow.schemas import problems

    found = problems(value)
    for problem in found:
        place = f" at `{problem.pointer}`" if problem.pointer else ""
        field.report.error(
            _line_of(field.node, problem.pointer),
            f"{field.label} is no proper schema{place}: {problem.message.rstrip('.')}.",
            suggestion=problem.suggestion,
        )
    return not found


def _line_of(node: Node, pointer: str) -> int:
    """Find the line of the nearest node on the way to a JSON pointer."""
    for token in pointer.split("/")[1:]:
        key = token.replace("~1", "/").replace("~0", "~")
        if isinstance(node.value, dict) and key in node.value:
            node = node.value[key]
        elif isinstance(node.value, tuple) and key.isdecimal() and int(key) < len(node.value):
            node = node.value[int(key)]
        else:
            break
    return node.line
