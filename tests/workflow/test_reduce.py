"""What a step comes to: its evidence, its artifact, whether it stands, and the line that sums it up."""

from __future__ import annotations

from typing import Any

import pytest

from akm.workflow.plan import GateNode, MapNode, PlanStep, ShellTarget, UnitNode
from akm.workflow.reduce import UnitResult, journal_text, reduce, rehydrate


def a_step(
    *, fan_out: bool = True, on_error: Any = "fail", reducer: Any = "collect", schema: Any = None
) -> PlanStep:
    unit = UnitNode("count.unit", "", ShellTarget(("true",), "h", None), on_error=on_error)
    root = MapNode("count.map", "params.x", unit, 4, reducer) if fan_out else unit
    return PlanStep("count", 0, root, GateNode("count.gate", "count"), schema)


def text(unit_id: str, value: str) -> UnitResult:
    return UnitResult(unit_id, True, text=value)


def result(unit_id: str, value: Any) -> UnitResult:
    return UnitResult(unit_id, True, result=value, has_result=True)


def failure(
    unit_id: str = "u3", reason: str = "non_zero_exit", diagnostic: str | None = "it exited 3"
) -> UnitResult:
    return UnitResult(unit_id, False, failure_reason=reason, diagnostic=diagnostic)


def test_a_solo_unit_s_value_is_the_artifact() -> None:
    step = a_step(fan_out=False)
    reduced = reduce(step, [text("count:solo", "hi")])
    assert reduced.ok
    assert reduced.evidence == {
        "units": [{"unitId": "count:solo", "ok": True, "text": "hi"}],
        "itemCount": 1,
        "output": "hi",
    }
    assert reduced.summary == (
        'Executed 1 unit(s) for step "count" via workflow orchestration: 1 succeeded, 0 failed.'
    )


@pytest.mark.parametrize(
    ("given", "evidence", "output"),
    [
        (result("s", {"a": 1}), {"result": {"a": 1}}, {"a": 1}),
        (result("s", None), {"result": None}, None),
        (result("s", ""), {"result": ""}, ""),
        (text("s", ""), {}, None),
        (UnitResult("s", True), {}, None),
    ],
)
def test_what_a_unit_gave_is_what_its_step_gives(
    given: UnitResult, evidence: dict[str, Any], output: Any
) -> None:
    reduced = reduce(a_step(fan_out=False), [given])
    assert reduced.evidence["units"] == [{"unitId": "s", "ok": True, **evidence}]
    assert reduced.output == output


def test_collect_keeps_item_order_and_null_in_failed_slots() -> None:
    reduced = reduce(a_step(on_error="continue"), [text("u1", "2"), result("u2", 1), failure()])
    assert reduced.ok
    assert reduced.output == ["2", 1, None]
    assert reduced.evidence["units"][2] == {"unitId": "u3", "ok": False, "failureReason": "non_zero_exit"}
    assert reduced.summary == (
        'Executed 3 unit(s) for step "count" via workflow orchestration: 2 succeeded, 1 failed. '
        "Failures (recorded, on_error: continue): u3 (non_zero_exit). "
        "First failure diagnostic (u3): it exited 3"
    )
    assert [unit.unit_id for unit in reduced.failed] == ["u3"]


def test_one_failure_fails_a_step_that_does_not_go_on() -> None:
    reduced = reduce(a_step(), [text("u1", "2"), failure()])
    assert not reduced.ok
    assert reduced.output == ["2", None]
    assert "Failures: u3 (non_zero_exit). First failure diagnostic (u3): it exited 3" in reduced.summary


def test_an_end_that_could_not_be_recorded_fails_a_step_that_goes_on() -> None:
    assert not reduce(a_step(on_error="continue"), [failure(reason="journal_write_failed")]).ok


def test_text_is_clipped_in_the_evidence_and_whole_in_the_artifact() -> None:
    reduced = reduce(a_step(), [text("u1", "x" * 2001)])
    assert reduced.evidence["units"][0]["text"] == "x" * 2000 + "…"
    assert reduced.output == ["x" * 2001]


def test_diagnostics_stay_out_of_the_evidence() -> None:
    reduced = reduce(a_step(), [failure(diagnostic="sekret")])
    assert "sekret" not in str(reduced.evidence)


def test_many_failures_are_counted_and_not_all_listed() -> None:
    reduced = reduce(a_step(), [failure(f"u{number}") for number in range(1000)])
    assert "u19 (non_zero_exit) and 980 more." in reduced.summary
    assert "u20" not in reduced.summary


@pytest.mark.parametrize(("reducer", "output"), [("collect", []), ("vote", None)])
def test_no_items_make_an_empty_artifact(reducer: str, output: Any) -> None:
    reduced = reduce(a_step(reducer=reducer), [])
    assert reduced.ok
    assert reduced.evidence == {"units": [], "itemCount": 0, "output": output}


def test_an_artifact_that_misses_the_step_s_schema_fails_and_says_how() -> None:
    reduced = reduce(a_step(schema={"type": "array", "minItems": 3}), [result("u1", 1)])
    assert not reduced.ok
    assert len(reduced.artifact_problem) == 1
    assert reduced.artifact_problem[0] in reduced.summary
    assert reduced.output == [1]


def test_the_schema_is_checked_even_when_there_were_no_items() -> None:
    assert reduce(a_step(schema={"minItems": 1}), []).artifact_problem
    assert not reduce(a_step(schema={"minItems": 0}), []).artifact_problem


def test_a_failed_step_is_not_blamed_on_its_schema_too() -> None:
    reduced = reduce(a_step(schema={"minItems": 3}), [failure()])
    assert not reduced.ok
    assert reduced.artifact_problem == ()


def test_the_value_that_most_units_gave_wins_a_vote() -> None:
    votes = [result("u1", {"a": 1, "b": 2}), text("u2", "x"), result("u3", {"b": 2.0, "a": 1}), failure("u4")]
    reduced = reduce(a_step(reducer="vote", on_error="continue"), votes)
    assert reduced.ok
    assert reduced.output == {"a": 1, "b": 2}
    assert reduced.evidence["vote"] == {"winner": {"a": 1, "b": 2}, "votes": 2, "total": 3}


def test_no_output_is_a_vote_for_empty_text() -> None:
    reduced = reduce(a_step(reducer="vote"), [UnitResult("u1", True), UnitResult("u2", True)])
    assert reduced.output == ""


@pytest.mark.parametrize(
    "votes",
    [[text("u1", "x"), text("u2", "y")], [failure()], [text("u1", "x"), text("u2", "y"), failure()]],
)
def test_a_vote_without_a_winner_fails_whatever_the_policy(votes: list[UnitResult]) -> None:
    reduced = reduce(a_step(reducer="vote", on_error="continue"), votes)
    assert not reduced.ok
    assert reduced.output is None
    assert reduced.evidence["voteError"] in reduced.summary


def test_stored_results_reduce_as_live_ones_do() -> None:
    step = a_step(on_error="continue")
    live = [text("u1", "hi"), text("u2", ""), failure("u3", diagnostic="broke")]
    stored = [
        rehydrate(
            "completed" if unit.ok else "failed", journal_text(unit), False, unit.failure_reason, unit.unit_id
        )
        for unit in live
    ]
    assert reduce(step, stored).evidence == reduce(step, live).evidence
    assert reduce(step, stored).summary == reduce(step, live).summary
