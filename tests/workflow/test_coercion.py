"""The whole road from a flag's text to a parameter's value."""

from __future__ import annotations

from typing import Any

import pytest

from akm.workflow.coercion import Misfit, coerce_values

STRINGS = {"type": "array", "items": {"type": "string"}}
INTEGERS = {"type": "array", "items": {"type": "integer"}}
TAKEN: list[tuple[dict[str, Any], list[str | bool], Any]] = [
    # Text stays exactly as it is, wherever the union allows text.
    ({"type": "string"}, ["001"], "001"),
    ({"type": "string"}, [" x "], " x "),
    ({"type": "string"}, [""], ""),
    ({"type": "string"}, ["[1]"], "[1]"),
    ({"type": ["string", "integer"]}, ["001"], "001"),
    ({"type": ["integer", "string"]}, ["5"], "5"),
    # Without a type nothing is known, so nothing is changed.
    ({}, ["5"], "5"),
    ({"enum": ["a"]}, ["a"], "a"),
    ({}, [True], True),
    # Booleans.
    ({"type": "boolean"}, ["true"], True),
    ({"type": "boolean"}, ["false"], False),
    ({"type": "boolean"}, [True], True),
    ({"type": ["boolean", "string"]}, [True], True),
    ({"type": ["boolean", "string"]}, ["true"], "true"),
    ({"type": "string"}, [True], "true"),
    # Numbers.
    ({"type": "integer"}, ["001"], 1),
    ({"type": "integer"}, ["-5"], -5),
    ({"type": "integer"}, ["1e3"], 1000),
    ({"type": "integer"}, ["3.0"], 3),
    ({"type": "integer"}, [" 7 "], 7),
    ({"type": "integer"}, ["9007199254740991"], 9007199254740991),
    ({"type": "number"}, ["1.50"], 1.5),
    ({"type": "number"}, [".5"], 0.5),
    ({"type": "number"}, ["2"], 2),
    ({"type": ["integer", "null"]}, ["null"], None),
    ({"type": ["boolean", "integer"]}, ["1"], 1),
    # Objects.
    ({"type": "object"}, ['{"a": [1, null]}'], {"a": [1, None]}),
    ({"type": ["object", "integer"]}, ["4"], 4),
    # Arrays: JSON, or one flag per element.
    (STRINGS, ['["a", "b"]'], ["a", "b"]),
    (STRINGS, ["  []"], []),
    (STRINGS, ["a"], ["a"]),
    (STRINGS, ["001", "[x"], ["001", "[x"]),
    (INTEGERS, ["1", "2"], [1, 2]),
    (INTEGERS, ['["x"]'], ["x"]),
    ({"type": "array"}, ["1", "2"], ["1", "2"]),
    ({"type": "array", "items": True}, ["1"], ["1"]),
    ({"type": "array", "items": {"type": "boolean"}}, [True, "false"], [True, False]),
    ({"type": "array", "items": INTEGERS}, ["[1]", "[2]"], [[1], [2]]),
    ({"type": ["array"], "items": {"type": "integer"}}, ["1"], [1]),
    ({"type": ["array", "string"]}, ["plain"], "plain"),
    ({"type": ["array", "integer"], "items": {"type": "integer"}}, ["5"], 5),
    ({"type": ["array", "integer"], "items": {"type": "integer"}}, ["5", "6"], [5, 6]),
    ({"type": ["array", "string"]}, ["[1]"], [1]),
]
REFUSED: list[tuple[dict[str, Any], list[str | bool], str]] = [
    ({"type": "integer"}, ["sekret"], "must be integer"),
    ({"type": "integer"}, ["1.5"], "must be integer"),
    ({"type": "integer"}, [""], "must be integer"),
    ({"type": "integer"}, ["1_000"], "must be integer"),
    ({"type": "integer"}, ["٣"], "must be integer"),
    ({"type": "integer"}, ["9007199254740993"], "must be integer"),
    ({"type": "integer"}, ["9" * 5000], "must be integer"),
    ({"type": "integer"}, [True], "needs a value: it must be integer"),
    ({"type": "number"}, ["NaN"], "must be number"),
    ({"type": "number"}, ["Infinity"], "must be number"),
    ({"type": "number"}, ["1e999"], "must be number"),
    ({"type": "number"}, ["  "], "must be number"),
    ({"type": "boolean"}, ["yes"], "must be boolean"),
    ({"type": "boolean"}, ["True"], "must be boolean"),
    ({"type": "boolean"}, ["1"], "must be boolean"),
    ({"type": "null"}, ["nil"], "must be null"),
    ({"type": ["boolean", "integer", "null"]}, ["sekret"], "must be boolean or integer or null"),
    ({"type": ["array", "integer"]}, ["sekret"], "must be array or integer"),
    ({"type": "string"}, ["a", "b"], "is repeated"),
    ({}, ["a", "b"], "is repeated"),
    ({"type": "object"}, ["sekret"], "must be object"),
    ({"type": "object"}, ['{"sekret": '], "is not well-formed JSON"),
    ({"type": "object"}, ['{"a": 1, "a": 2}'], "is not well-formed JSON"),
    ({"type": "object"}, ['{"a": NaN}'], "is not well-formed JSON"),
    ({"type": "object"}, ['{"a":' * 100_000], "is not well-formed JSON"),
    ({"type": "array"}, ["[sekret"], "is not well-formed JSON"),
    ({"type": "array"}, ["[1] 2"], "is not well-formed JSON"),
    ({"type": ["array", "string"]}, ["[sekret"], "is not well-formed JSON"),
    (INTEGERS, ["1", "sekret"], "must be integer"),
]


@pytest.mark.parametrize(("schema", "given", "value"), TAKEN)
def test_text_becomes_what_the_schema_asks_for(
    schema: dict[str, Any], given: list[str | bool], value: Any
) -> None:
    found = coerce_values(given, schema)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(("schema", "given", "message"), REFUSED, ids=lambda value: ascii(value)[:40])
def test_text_that_fits_no_type_is_refused_without_being_repeated(
    schema: dict[str, Any], given: list[str | bool], message: str
) -> None:
    with pytest.raises(Misfit) as caught:
        coerce_values(given, schema)
    assert str(caught.value).startswith(message)
    assert "sekret" not in str(caught.value)
