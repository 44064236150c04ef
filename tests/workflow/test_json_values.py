"""Which Python values are JSON, and where the first thing stands that is none."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

from akm.workflow.json_values import fault


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize("value", [None, True, 0, 10**40, 1.5, "x", [], {}, {"a": [{"b": "é"}]}, nested(64)])
def test_json_values_have_no_fault(value: Any) -> None:
    assert fault(value) is None


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (float("nan"), "$: is not a finite number"),
        ({"a": [1, float("inf")]}, "$.a[1]: is not a finite number"),
        ({"a b": "\ud800"}, '$["a b"]: is not valid Unicode text'),
        ({"\ud800": 1}, "$: has a property name that is not valid Unicode text"),
        ({"a": {1: 2}}, "$.a: has a property name that is int, not text"),
        ([datetime.date(2026, 1, 1)], "$[0]: is of type date, which JSON does not have"),
        (nested(65), f"${'[0]' * 64}: is nested too deeply"),
    ],
)
def test_the_first_fault_is_named_with_its_place(value: Any, message: str) -> None:
    assert fault(value) == message


def test_nul_is_a_fault_only_where_it_is_asked_for() -> None:
    assert fault(["a\0b"]) is None
    assert fault(["a\0b"], allow_nul=False) == "$[0]: contains a NUL character"


def test_a_cycle_ends_in_a_fault() -> None:
    loop: list[Any] = []
    loop += [loop, loop]
    assert "nested too deeply" in str(fault(loop))
