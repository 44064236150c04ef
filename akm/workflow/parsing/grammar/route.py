"""The `route` bag: a value, and the step each text of it chooses. Targets are looked up elsewhere."""

from __future__ import annotations

from akm.workflow.parsing.document import Route
from akm.workflow.parsing.fields import Field
from akm.workflow.wording import as_text


def route(field: Field) -> Route:
    """Read a choice of one later step; faulty parts are noted and left out."""
    entries = field.mapping(("input", "when", "default")) or {}
    for key, example in (
        ("input", "input: params.mode"),
        ("when", 'when: [{ match: "true", step: finish }]'),
    ):
        if key not in entries and isinstance(field.node.value, dict):
            field.fail(f"lacks `{key}`", suggestion=example)
    source = entries["input"].text() if "input" in entries else None
    default = entries["default"].text() if "default" in entries else None
    return Route(source or "", _branches(entries["when"]) if "when" in entries else (), default)


def _branches(field: Field) -> tuple[tuple[str, str], ...]:
    items = field.items()
    if items is not None and not items:
        field.fail("is an empty list; name at least one `{ match, step }`")
    seen: dict[str, str] = {}
    for item in items or ():
        branch = _branch(item)
        if branch is None:
            continue
        if branch[0] in seen:
            item.fail(f"matches `{branch[0]}` a second time, and the first match wins; remove one")
        seen.setdefault(*branch)
    return tuple(seen.items())


def _branch(field: Field) -> tuple[str, str] | None:
    entries = field.mapping(("match", "step"))
    if entries is None:
        return None
    for key in ("match", "step"):
        if key not in entries:
            field.fail(f"lacks `{key}`", suggestion="{ match: pass, step: publish }")
    text = _match(entries["match"]) if "match" in entries else None
    target = entries["step"].text() if "step" in entries else None
    return (text, target) if text is not None and target is not None else None


def _match(field: Field) -> str | None:
    """Read a scalar as the text it is compared as."""
    value = field.node.value
    if isinstance(value, str):
        return value
    if isinstance(value, bool | int | float):
        return as_text(value)
    if value is None:
        return "null"
    field.fail(f"must be one value such as `pass`, `true` or `3`, but {field.kind}")
    return None
