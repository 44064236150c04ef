"""What an author's schema may hold, and which values fit one."""

from __future__ import annotations

import socket
import subprocess
import sys
from typing import Any

import pytest

from akm.workflow.schemas import check, problems

FITS: list[tuple[dict[str, Any], Any]] = [
    ({}, None),
    ({"type": "integer"}, 1.0),
    ({"type": "integer"}, 10**30),
    ({"type": "number"}, 3),
    ({"type": ["string", "null"]}, None),
    ({"type": "boolean"}, False),
    ({"enum": [{"a": 1}, [1]]}, {"a": 1}),
    ({"const": {"a": [1]}}, {"a": [1.0]}),
    ({"minLength": 1, "maxLength": 1}, "\U0001f600"),
    ({"required": ["keys", "__class__"]}, {"keys": 1, "__class__": 2}),
    ({"properties": {"a": {}}, "additionalProperties": False}, {"a": 1}),
    ({"properties": {"a": {"type": "string"}}}, {"b": 1}),
    ({"properties": {"a": {"type": "string"}}}, "no object"),
    ({"items": {"type": "array", "items": {"type": "integer"}}}, [[1], []]),
    ({"prefixItems": [{"type": "string"}], "items": False}, ["a"]),
    ({"$defs": {"n": {"type": "integer"}}, "items": {"$ref": "#/$defs/n"}}, [1]),
    ({"definitions": {"n": {"type": "integer"}}, "$ref": "#/definitions/n"}, 1),
    ({"properties": {"next": {"$ref": "#"}}, "required": ["v"]}, {"v": 1, "next": {"v": 2}}),
    ({"if": {"type": "string"}, "then": {"minLength": 2}, "else": {"minimum": 5}}, 6),
    ({"format": "date-time"}, "2026-12-02T08:30:00Z"),
    ({"pattern": "^v[0-9]+$"}, "v12"),
    ({"x-mine": {"anything": 1}, "title": "t", "default": 5, "examples": [1]}, "x"),
]
MISSES: list[tuple[dict[str, Any], Any, str]] = [
    ({"type": "integer"}, True, "$: "),
    ({"type": "number"}, False, "$: "),
    ({"type": "boolean"}, 1, "$: "),
    ({"type": "integer"}, 1.5, "$: "),
    ({"type": "string"}, None, "$: "),
    ({"enum": [1, "a"]}, True, "$: "),
    ({"const": 1}, True, "$: "),
    ({"minLength": 2}, "\U0001f600", "$: "),
    ({"required": ["keys", "__class__"]}, {}, "$: "),
    ({"required": ["__class__"]}, {"a": 1}, "$: "),
    ({"additionalProperties": False}, {"a": 1}, "$: "),
    ({"properties": {"a": {}}, "additionalProperties": False}, {"b": 1}, "$: "),
    ({"properties": {"a": {"items": {"type": "integer"}}}}, {"a": [1, "x"]}, "$.a[1]: "),
    ({"properties": {"a b": {"type": "integer"}}}, {"a b": "x"}, '$["a b"]: '),
    ({"prefixItems": [{"type": "string"}], "items": False}, ["a", 1], "$[1]: "),
    ({"minItems": 3, "type": "array"}, [1, 2], "$: "),
    ({"uniqueItems": True}, [1, 1.0], "$: "),
    ({"contains": {"type": "string"}}, [1], "$: "),
    ({"exclusiveMaximum": 2}, 2, "$: "),
    ({"multipleOf": 3}, 4, "$: "),
    ({"anyOf": [{"type": "string"}, {"type": "null"}]}, 1, "$: "),
    ({"oneOf": [{"type": "integer"}, {"minimum": 2}]}, 7, "$: "),
    ({"not": {"type": "string"}}, "x", "$: "),
    ({"allOf": [{"minimum": 5}, {"maximum": 3}]}, 4, "$: "),
    ({"if": {"type": "string"}, "then": {"minLength": 2}}, "x", "$: "),
    ({"dependentRequired": {"a": ["b"]}}, {"a": 1}, "$: "),
    ({"propertyNames": {"maxLength": 1}}, {"ab": 1}, "$: "),
    ({"patternProperties": {"^n_": {"type": "integer"}}}, {"n_a": "x"}, "$.n_a: "),
    ({"properties": {"a": {}}, "unevaluatedProperties": False}, {"b": 1}, "$: "),
    ({"format": "email"}, "nobody", "$: "),
    ({"pattern": "^v"}, "w", "$: "),
    ({"pattern": "^(?=a)(a+)+$"}, "a" * 60 + "b", "$: "),
    ({"$defs": {"n": {"type": "integer"}}, "items": {"$ref": "#/$defs/n"}}, ["x"], "$[0]: "),
    ({}, float("nan"), "$: "),
    ({"type": "null"}, float("nan"), "$: "),
    ({}, "\ud800", "$: "),
    ({}, b"x", "$: "),
]


@pytest.mark.parametrize(("schema", "value"), FITS, ids=ascii)
def test_a_value_that_fits_has_no_messages(schema: dict[str, Any], value: Any) -> None:
    assert problems(schema) == []
    assert check(schema, value) == []


@pytest.mark.parametrize(("schema", "value", "start"), MISSES, ids=lambda value: ascii(value)[:40])
def test_a_value_that_does_not_fit_is_told_where(schema: dict[str, Any], value: Any, start: str) -> None:
    assert problems(schema) == []
    messages = check(schema, value)
    assert messages
    assert all(message.startswith(start) for message in messages)


SEKRET = "sekret-value"


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "integer"}, SEKRET),
        ({"type": "integer"}, {SEKRET: SEKRET}),
        ({"enum": ["a"]}, SEKRET),
        ({"const": "a"}, [SEKRET]),
        ({"not": {"type": "string"}}, SEKRET),
        ({"maxLength": 1}, SEKRET),
        ({"pattern": "^x"}, SEKRET),
        ({"format": "email"}, SEKRET),
        ({"anyOf": [{"type": "null"}, {"const": 1}]}, SEKRET),
        ({"oneOf": [{"type": "null"}, {"const": 1}]}, SEKRET),
        ({"contains": {"type": "null"}}, [SEKRET]),
        ({"uniqueItems": True}, [SEKRET, SEKRET]),
        ({"additionalProperties": False}, {SEKRET: 1}),
        ({"properties": {"a": {}}, "additionalProperties": False}, {SEKRET: 1}),
        ({"additionalProperties": {"type": "string"}}, {SEKRET: 1}),
        ({"propertyNames": {"maxLength": 1}}, {SEKRET: 1}),
        ({"unevaluatedProperties": False}, {SEKRET: 1}),
        ({"unevaluatedItems": False}, [SEKRET]),
        ({"required": ["a"]}, {SEKRET: SEKRET}),
        ({"dependentRequired": {SEKRET[:3]: ["b"]}}, {SEKRET[:3]: SEKRET}),
        ({}, {SEKRET: float("nan")}),
        ({}, {SEKRET: {SEKRET: b"x"}}),
    ],
)
def test_a_redacted_message_holds_nothing_of_the_value(schema: dict[str, Any], value: Any) -> None:
    messages = check(schema, value, root="params.p", redact=True)
    assert messages
    assert all(message.startswith("params.p") for message in messages)
    assert SEKRET not in "".join(messages)


def test_only_so_many_misses_are_listed() -> None:
    messages = check({"items": {"type": "string"}}, list(range(500)))
    assert len(messages) == 21
    assert messages[-1] == "$: and more"


def test_a_value_nested_beyond_64_levels_does_not_fit_whatever_the_schema() -> None:
    value: Any = 1
    for _ in range(65):
        value = [value]
    assert "nested too deeply" in check({}, value)[0]
    assert check({}, value[0]) == []


def test_a_malformed_schema_fits_nothing() -> None:
    assert check({"type": "strin"}, "x") == ["$: cannot be checked, because its schema is malformed"]


def test_a_reference_out_of_the_schema_is_refused_and_nothing_is_fetched() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0)
        address = f"http://127.0.0.1:{server.getsockname()[1]}/schema.json"
        for schema in (
            {"$ref": address},
            {"$id": address, "$ref": "other.json"},
            {"$ref": "file:///etc/hosts"},
        ):
            assert [found.keyword for found in problems(schema)] == ["$ref"]
            assert check(schema, 1) == ["$: cannot be checked, because its schema is malformed"]
        with pytest.raises(BlockingIOError):
            server.accept()


def test_the_validator_is_not_imported_until_a_schema_is_used() -> None:
    code = (
        "import sys, akm.workflow.freezing.freeze, akm.workflow.worklist, akm.workflow.reduce, "
        "akm.workflow.params, akm.workflow.plan_text.plan_json, akm.workflow.prompt, akm.workflow.support\n"
        "akm.workflow.params.coerce([], None)\n"
        "print('jsonschema_rs' in sys.modules)"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "False"
