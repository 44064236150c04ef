"""The keywords of JSON Schema Draft 2020-12, and a walk over every schema inside a schema.

Validators ignore a keyword they do not know, so a typing error would check nothing. Here it is a fault.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from akm.workflow.spelling import closest

DIALECT = "https://json-schema.org/draft/2020-12/schema"

_ONE_SCHEMA = frozenset(
    {
        *("additionalProperties", "contains", "contentSchema", "else", "if", "items", "not"),
        *("propertyNames", "then", "unevaluatedItems", "unevaluatedProperties"),
    }
)
_SCHEMA_LIST = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_SCHEMA_MAP = frozenset({"$defs", "definitions", "dependentSchemas", "patternProperties", "properties"})
_ASSERTIONS = frozenset(
    {
        *("const", "dependentRequired", "enum", "exclusiveMaximum", "exclusiveMinimum", "format"),
        *("maxContains", "maxItems", "maxLength", "maxProperties", "maximum", "minContains", "minItems"),
        *(
            "minLength",
            "minProperties",
            "minimum",
            "multipleOf",
            "pattern",
            "required",
            "type",
            "uniqueItems",
        ),
    }
)
_CORE = frozenset(
    {"$anchor", "$comment", "$dynamicAnchor", "$dynamicRef", "$id", "$ref", "$schema", "$vocabulary"}
)
_ANNOTATIONS = frozenset(
    {
        *("contentEncoding", "contentMediaType", "default", "deprecated", "description", "examples"),
        *("readOnly", "title", "writeOnly"),
    }
)
KNOWN = _ONE_SCHEMA | _SCHEMA_LIST | _SCHEMA_MAP | _ASSERTIONS | _CORE | _ANNOTATIONS

#: Words of older drafts and of relatives of JSON Schema, with what to write instead.
_INSTEAD = {
    "additionalItems": '"items" beside "prefixItems"',
    "dependencies": '"dependentRequired" or "dependentSchemas"',
    "$recursiveRef": '"$dynamicRef"',
    "$recursiveAnchor": '"$dynamicAnchor"',
    "id": '"$id"',
    "nullable": 'a "type" list that includes "null"',
    "example": '"examples"',
}


_NO_KEYWORD = "is not a keyword of JSON Schema (your own may start with x-)"
_LEADS_OUT = (
    "leads out of this schema, and nothing is ever fetched",
    'Put the schema under "$defs" and refer to it as "#/$defs/<name>".',
)
_EMPTY_ENUM = ("is empty, so that no value fits", "List the allowed values.")
_OTHER_DIALECT = ("names another dialect than Draft 2020-12", f'Remove it, or write "{DIALECT}".')

#: What a malformed value of a keyword means, and what to do, where the validator's own words say too little.
EXPLAINED: dict[str, tuple[str, str | None]] = {
    "type": ("must name array, boolean, integer, null, number, object or string, or list some of them", None),
    "pattern": ("is not a regular expression", None),
    "items": ("must be one schema", 'Give each position its own schema with "prefixItems".'),
    "format": ("names an unknown format", "Use one of Draft 2020-12, such as date-time, email or uri."),
    "required": ("must be a list of different property names", "Write it beside properties, not inside one."),
}


@dataclass(frozen=True, slots=True, order=True)
class SchemaProblem:
    """One fault of a schema: a JSON pointer to the schema that has it, the keyword, and what is wrong."""

    pointer: str
    keyword: str
    message: str
    suggestion: str | None = None


def subschemas(schema: Any, pointer: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Walk over every object schema with its JSON pointer, the outermost (`""`) first."""
    if not isinstance(schema, Mapping):
        return
    yield pointer, schema
    for keyword, value in schema.items():
        here = f"{pointer}/{escaped(keyword)}"
        if keyword in _ONE_SCHEMA:
            yield from subschemas(value, here)
        elif keyword in _SCHEMA_LIST and isinstance(value, list):
            for position, child in enumerate(value):
                yield from subschemas(child, f"{here}/{position}")
        elif keyword in _SCHEMA_MAP and isinstance(value, Mapping):
            for name, child in value.items():
                yield from subschemas(child, f"{here}/{escaped(name)}")


def keyword_problems(pointer: str, schema: Mapping[str, Any]) -> Iterator[SchemaProblem]:
    """Find unknown keywords of one schema object, and references that lead out of the document."""
    for keyword, value in schema.items():
        if keyword.startswith("x-"):
            continue
        if keyword not in KNOWN:
            yield _unknown(pointer, keyword)
        elif keyword in ("$ref", "$dynamicRef") and not str(value).startswith("#"):
            yield SchemaProblem(pointer, keyword, *_LEADS_OUT)
        elif keyword == "$schema" and str(value).rstrip("#") != DIALECT:
            yield SchemaProblem(pointer, keyword, *_OTHER_DIALECT)
        elif keyword == "enum" and value == []:
            yield SchemaProblem(pointer, keyword, *_EMPTY_ENUM)


def escaped(segment: str | int) -> str:
    """Write one segment of a JSON pointer."""
    return str(segment).replace("~", "~0").replace("/", "~1")


def _unknown(pointer: str, keyword: str) -> SchemaProblem:
    instead = _INSTEAD.get(keyword)
    if instead is None:
        nearest = closest(keyword, KNOWN)
        instead = f'"{nearest}"' if nearest else None
    suggestion = f"Did you mean {instead}?" if instead else None
    return SchemaProblem(pointer, keyword, _NO_KEYWORD, suggestion)
