"""Canonical JSON: equal values have equal texts, and numbers look as JavaScript writes them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from akm.workflow.hashing import canonical, sha256_hex


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1"),
        (-0.0, "0"),
        (0.0, "0"),
        (1.5, "1.5"),
        (-2.50, "-2.5"),
        (0.1, "0.1"),
        (100.0, "100"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (-1.5e300, "-1.5e+300"),
        (1e-6, "0.000001"),
        (1e-7, "1e-7"),
        (1.23e-7, "1.23e-7"),
        (123456789012345680000.0, "123456789012345680000"),
        (5e-324, "5e-324"),
        (1.7976931348623157e308, "1.7976931348623157e+308"),
        (123.456, "123.456"),
        (10**30, "1000000000000000000000000000000"),
        (True, "true"),
        (False, "false"),
        (None, "null"),
    ],
)
def test_numbers_are_written_as_javascript_writes_them(value: Any, text: str) -> None:
    assert canonical(value) == text
    assert canonical([value]) == f"[{text}]"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({}, "{}"),
        ([], "[]"),
        ((1, 2), "[1,2]"),
        ({"b": 1, "a": {"d": 1.0, "c": []}}, '{"a":{"c":[],"d":1},"b":1}'),
        ({"10": 1, "2": 2, "a": 3}, '{"10":1,"2":2,"a":3}'),
        ('é\n\t\x01\x7f\u2028"\\/', '"é\\n\\t\\u0001\x7f\u2028\\"\\\\/"'),
        ("\0", '"\\u0000"'),
    ],
)
def test_keys_are_sorted_and_nothing_is_escaped_needlessly(value: Any, text: str) -> None:
    assert canonical(value) == text


def test_keys_sort_by_utf16_code_unit_and_not_by_code_point() -> None:
    assert canonical({"\uffff": 1, "\U0001f600": 2}) == '{"\U0001f600":2,"\uffff":1}'


def a_cycle() -> list[Any]:
    loop: list[Any] = []
    loop.append(loop)
    return loop


@pytest.mark.parametrize(
    "value",
    [
        float("nan"),
        float("inf"),
        -float("inf"),
        "\ud800",
        {"\udfff": 1},
        {1: 2},
        {None: 1},
        b"x",
        {1, 2},
        object(),
        [1, {"a": b"sekret"}],
        a_cycle(),
        10**5000,
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_json_is_refused_without_being_echoed(value: Any) -> None:
    with pytest.raises(ValueError) as caught:
        canonical(value)
    assert "sekret" not in str(caught.value)


def values(floats: st.SearchStrategy[float]) -> st.SearchStrategy[Any]:
    return st.recursive(
        st.none() | st.booleans() | st.integers() | floats | st.text(),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
        max_leaves=12,
    )


@settings(deadline=None)
@given(values(st.floats(allow_nan=False, allow_infinity=False)))
def test_canonical_text_is_stable_when_read_back(value: Any) -> None:
    assert canonical(json.loads(canonical(value))) == canonical(value)


# Beyond this range JavaScript's digits are the shortest ones and not the exact ones that Python would read.
@settings(deadline=None)
@given(values(st.floats(-(2.0**53), 2.0**53)))
def test_canonical_text_reads_back_as_the_same_value(value: Any) -> None:
    assert json.loads(canonical(value)) == value


@settings(deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_reads_back_as_the_same_float(value: float) -> None:
    assert float(canonical(value)) == value


@settings(deadline=None)
@given(st.dictionaries(st.text(), st.integers(), max_size=6))
def test_the_order_of_keys_does_not_matter(value: dict[str, int]) -> None:
    assert canonical(dict(reversed(value.items()))) == canonical(value)


def test_a_digest_is_that_of_the_utf8_bytes() -> None:
    assert sha256_hex("é") == "4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c"
