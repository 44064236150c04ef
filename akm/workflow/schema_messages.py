"""One message per way in which a value misses its schema, with or without anything taken from the value."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from akm.workflow.json_values import child_path

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError

_LONGEST = 400
_SUMMARIES = {
    "anyOf": "matches none of the alternatives under anyOf",
    "contains": "has no item that contains asks for",
    "uniqueItems": "has equal items, which uniqueItems forbids",
}


def describe(error: ValidationError, root: str, schema_text: str | None) -> str:
    """Write one message, such as `$.a[0]: the value is not of type "integer"`.

    With the canonical `schema_text`, property names that are not in it are left out, because they belong to
    the value. Scalars of the value never appear: the validator was told to mask them.
    """
    path = root
    for segment in error.instance_path:
        path = child_path(path, _shown(segment, schema_text))
    message = _message(error, redacted=schema_text is not None)
    return f"{path}: {message if len(message) <= _LONGEST else message[:_LONGEST] + '…'}"


def _shown(segment: str | int, schema_text: str | None) -> str | int:
    if isinstance(segment, int) or schema_text is None:
        return segment
    return segment if json.dumps(segment, ensure_ascii=False) + ":" in schema_text else "*"


def _message(error: ValidationError, *, redacted: bool) -> str:
    kind: Any = error.kind
    if kind.name in _SUMMARIES:
        return _SUMMARIES[kind.name]
    if kind.name == "oneOf":
        return f"matches {_how_many(kind)} of the alternatives under oneOf, and must match exactly one"
    if kind.name == "falseSchema":
        return "has something that the schema forbids here"
    if kind.name == "propertyNames":
        return "has a property name that the schema forbids"
    if kind.name in ("additionalProperties", "unevaluatedProperties"):
        return _unexpected(list(kind.unexpected), redacted)
    return error.message


def _how_many(kind: Any) -> str:
    return "several" if type(kind).__name__ == "OneOfMultipleValid" else "none"


def _unexpected(names: list[str], redacted: bool) -> str:
    if redacted:
        return f"has {len(names)} property(ies) that the schema does not allow"
    return "has properties that the schema does not allow: " + ", ".join(f'"{name}"' for name in names)
