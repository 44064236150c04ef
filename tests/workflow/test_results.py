"""A unit's end is the same whether it just happened or was read back from its row."""

from __future__ import annotations

from typing import Any

import pytest

from akm.workflow.results import UnitResult, clip, journal_text, rehydrate


def ok(**given: Any) -> UnitResult:
    return UnitResult("u", True, **given)


@pytest.mark.parametrize(
    ("result", "has_schema", "stored"),
    [
        (ok(text="hi"), False, '"hi"'),
        (ok(text='{"a": 1}'), False, '"{\\"a\\": 1}"'),
        (ok(), False, None),
        (ok(result={"b": 1, "a": "é"}, has_result=True), True, '{"a":"é","b":1}'),
        (ok(result="text", has_result=True), True, '"text"'),
        (ok(result=None, has_result=True), True, "null"),
        (ok(result=False, has_result=True), True, "false"),
        (ok(result=[1], has_result=True), False, "[1]"),
        (UnitResult("u", False, failure_reason="timeout"), False, None),
        (UnitResult("u", False, failure_reason="timeout", text="why"), False, '"why"'),
    ],
)
def test_an_end_survives_its_row(result: UnitResult, has_schema: bool, stored: str | None) -> None:
    assert journal_text(result) == stored
    status = "completed" if result.ok else "failed"
    assert rehydrate(status, stored, has_schema, result.failure_reason, "u") == result


def test_empty_text_is_no_output() -> None:
    assert journal_text(ok(text="")) is None
    assert ok(text="").value is None
    assert not ok(text="").has_value


def test_a_failure_keeps_what_is_said_about_it_and_what_it_printed() -> None:
    failure = UnitResult("u", False, text="half", failure_reason="non_zero_exit", diagnostic="exited 3")
    stored = journal_text(failure)
    assert stored == '"exited 3\\n--- partial output ---\\nhalf"'
    assert rehydrate("failed", stored, False, "non_zero_exit", "u").account == failure.account
    assert failure.value is None


def test_a_long_account_is_clipped_with_one_mark() -> None:
    failure = UnitResult("u", False, diagnostic="x" * 3000)
    assert failure.account == "x" * 2000 + "…"
    assert clip("x" * 2000) == "x" * 2000


@pytest.mark.parametrize("stored", ["{", "", "[" * 100_000])
def test_a_damaged_row_is_named(stored: str) -> None:
    with pytest.raises(ValueError, match='unit "u" is not JSON'):
        rehydrate("completed", stored, False, None, "u")


def test_a_result_that_is_no_json_is_refused() -> None:
    with pytest.raises(ValueError, match="not finite"):
        journal_text(ok(result=float("nan"), has_result=True))
