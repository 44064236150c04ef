"""Faults of an author's schema: found all at once, each with its place and what was meant."""

from __future__ import annotations

from typing import Any

import pytest

from akm.workflow.schemas import problems


@pytest.mark.parametrize(
    ("schema", "pointer", "keyword"),
    [
        ({"typ": "string"}, "", "typ"),
        ({"properties": {"a/b": {"requird": []}}}, "/properties/a~1b", "requird"),
        ({"anyOf": [{}, {"foo": 1}]}, "/anyOf/1", "foo"),
        ({"$defs": {"x": {"items": {"foo": 1}}}}, "/$defs/x/items", "foo"),
        ({"nullable": True}, "", "nullable"),
        ({"type": "strin"}, "", "type"),
        ({"type": ["string", 5]}, "", "type"),
        ({"enum": []}, "", "enum"),
        ({"required": "a"}, "", "required"),
        ({"properties": {"a": {"required": True}}}, "/properties/a", "required"),
        ({"properties": {"a": 5}}, "/properties", "a"),
        ({"items": [{}]}, "", "items"),
        ({"anyOf": []}, "", "anyOf"),
        ({"minLength": -1}, "", "minLength"),
        ({"minItems": 1.5}, "", "minItems"),
        ({"minimum": "x"}, "", "minimum"),
        ({"additionalProperties": "no"}, "", "additionalProperties"),
        ({"pattern": "("}, "", "pattern"),
        ({"properties": {"a": {"format": "emal"}}}, "/properties/a", "format"),
        ({"$schema": "http://json-schema.org/draft-07/schema#"}, "", "$schema"),
    ],
)
def test_a_faulty_schema_is_told_where_and_which_keyword(schema: Any, pointer: str, keyword: str) -> None:
    assert [(found.pointer, found.keyword) for found in problems(schema)] == [(pointer, keyword)]


def test_an_unknown_keyword_is_told_with_the_nearest_known_one() -> None:
    assert problems({"minLenght": 1})[0].suggestion == 'Did you mean "minLength"?'
    assert problems({"nullable": True})[0].suggestion == 'Did you mean a "type" list that includes "null"?'
    assert problems({"zzzzzz": True})[0].suggestion is None


def test_all_faults_of_a_schema_are_found() -> None:
    schema = {"typ": 1, "properties": {"a": {"minLength": -1}, "b": {"maxItmes": 1}}, "enum": []}
    assert [found.keyword for found in problems(schema)] == ["enum", "typ", "minLength", "maxItmes"]


@pytest.mark.parametrize(
    "schema",
    ["string", ["x"], 5, None, {"default": float("nan")}, {1: 2}, {"const": b"x"}, {"$ref": "#/$defs/none"}],
    ids=lambda value: type(value).__name__,
)
def test_what_cannot_be_a_schema_is_a_problem(schema: Any) -> None:
    assert len(problems(schema)) == 1


def test_a_schema_may_neither_be_too_deep_nor_too_large() -> None:
    deep: dict[str, Any] = {}
    for _ in range(70):
        deep = {"not": deep}
    assert "nested too deeply" in problems(deep)[0].message
    assert "256 KiB" in problems({"description": "x" * (256 * 1024)})[0].message
