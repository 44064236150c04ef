"""The parameters of a run as a whole: names, defaults, schemas and what must never reach a row."""

from __future__ import annotations

from typing import Any

import pytest

from akm.errors import UsageError
from akm.workflow.params import coerce, secret_shaped, validate, with_defaults

SCHEMAS: dict[str, Any] = {
    "count": {"type": "integer", "minimum": 1, "default": 3},
    "name": {"type": "string", "enum": ["ada", "bob"]},
    "files": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
    "options": {"type": "object", "properties": {"deep": {"type": "integer"}}},
    "strict": {"type": "object", "properties": {"deep": {}}, "additionalProperties": False},
    "anything": {},
}


def refusal(flags: list[tuple[str, str | bool]], schemas: Any = SCHEMAS) -> UsageError:
    with pytest.raises(UsageError) as caught:
        coerce(flags, schemas)
    return caught.value


def test_flags_become_parameters_in_the_order_given() -> None:
    flags: list[tuple[str, str | bool]] = [("files", "a"), ("count", "2"), ("files", "b"), ("name", "ada")]
    found = coerce(flags, SCHEMAS)
    assert found == {"files": ["a", "b"], "count": 2, "name": "ada"}
    assert list(found) == ["files", "count", "name"]


def test_no_flags_are_no_parameters() -> None:
    assert coerce([], SCHEMAS) == {}
    assert coerce([], None) == {}


def test_an_unknown_name_is_told_with_the_nearest_and_all_declared_ones() -> None:
    error = refusal([("cuont", "1")])
    assert (error.code, error.exit_status) == ("UNKNOWN_FLAG", 2)
    assert 'Unknown parameter "cuont"' in error.message
    assert "count, name, files, options, strict, anything" in error.message
    assert 'Did you mean "count"?' in error.message


@pytest.mark.parametrize("schemas", [None, {}])
def test_every_name_is_unknown_to_a_workflow_without_parameters(schemas: Any) -> None:
    error = refusal([("count", "1")], schemas)
    assert error.code == "UNKNOWN_FLAG"
    assert "declares no parameters" in error.message


def test_names_are_exact() -> None:
    assert refusal([("Count", "1")]).code == "UNKNOWN_FLAG"


def test_every_problem_is_told_at_once_and_no_value_is() -> None:
    error = refusal([("count", "sekret"), ("name", "sekret"), ("files", "[sekret"), ("nmae", "sekret")])
    assert error.code == "UNKNOWN_FLAG"
    assert len(error.message.splitlines()) == 4
    assert "sekret" not in error.message


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("count", "0", "params.count: "),
        ("name", "sekret", "params.name: "),
        ("files", '["sekret", 5]', "params.files[1]: "),
        ("files", '["a", "b", "sekret"]', "params.files: "),
        ("options", '{"deep": "sekret"}', "params.options.deep: "),
        ("strict", '{"sekret": 1}', "params.strict: has 1 property"),
        ("anything", "sekret\0", "params.anything: contains a NUL"),
        ("anything", "sekret\udcff", "params.anything: is not valid Unicode"),
        ("options", '{"sekret": 1e999}', "params.options: is not a finite number"),
        ("options", '{"sekret\\u0000": 1}', "params.options: has a property name that contains a NUL"),
    ],
)
def test_a_value_that_misses_its_schema_is_named_by_path(name: str, text: str, message: str) -> None:
    error = refusal([(name, text)])
    assert error.code == "INVALID_FLAG_VALUE"
    assert error.message.startswith(message)
    assert "sekret" not in error.message


def test_defaults_fill_in_only_what_is_absent_and_are_copies() -> None:
    schemas = {"a": {"default": [1]}, "b": {"default": None}, "c": {}}
    filled = with_defaults({"b": 5}, schemas)
    assert filled == {"b": 5, "a": [1]}
    filled["a"].append(2)
    assert with_defaults({}, schemas) == {"a": [1], "b": None}
    assert with_defaults({"x": 1}, None) == {"x": 1}


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"count": True}, "params.count: "),
        ({"count": 1.5}, "params.count: "),
        ({"anything": float("nan")}, "params.anything: is not a finite number"),
        ({"anything": {"sekret": float("inf")}}, "params.anything: is not a finite number"),
        ({"anything": "\ud800"}, "params.anything: is not valid Unicode"),
        ({"anything": ["sekret\0"]}, "params.anything: contains a NUL"),
        ({"anything": {1: 2}}, "params.anything: has a property name that is int"),
        ({"anything": b"sekret"}, "params.anything: is of type bytes"),
        ({"other": "sekret"}, 'Unknown parameter "other"'),
        ({"anything": "sekret" * 200_000}, "The parameters together are larger than 1024 KiB"),
        (["sekret"], "Parameters must be a mapping"),
    ],
    ids=lambda value: ascii(value)[:40],
)
def test_parameters_from_python_are_checked_the_same_way(params: Any, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        validate(params, SCHEMAS)
    assert caught.value.code == "INVALID_JSON_ARGUMENT"
    assert caught.value.message.startswith(message)
    assert "sekret" not in caught.value.message


def test_parameters_that_fit_pass() -> None:
    validate({"count": 1, "name": "ada", "files": [], "options": {"deep": 1.0}, "anything": None}, SCHEMAS)
    validate({}, None)


def test_secret_looking_parameters_are_listed_by_path() -> None:
    params = {
        "api_token": "x",
        "note": "plain words, nothing to hide here at all",
        "auth": {"Password": "p", "user": "ada"},
        "keys": ["short", "ghp_0123456789abcdefghij"],
        "max_tokens": 500,
        "credentials": {"pair": ["a", "b"]},
    }
    assert secret_shaped(params) == [
        "params.api_token",
        "params.auth.Password",
        "params.keys[1]",
        "params.credentials.pair[0]",
        "params.credentials.pair[1]",
    ]
