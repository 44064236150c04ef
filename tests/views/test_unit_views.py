"""Units, attempts and what they have cost."""

from __future__ import annotations

import pytest
from builders import AT, a_wanted, attempt, finished, later, publish

from akm.services import attempts
from akm.store.database import Database
from akm.views import units as unit_views
from akm.views.units import DIAGNOSTIC_CLIP, diagnostic


def test_accounting_counts_dispatches_and_gates_apart_and_missing_tokens_as_none(db: Database) -> None:
    run_id = publish(db)
    assert unit_views.accounting(db, run_id) == (0, 0, 0, 0, None)
    attempt(db, run_id, "a", tokens=3)
    attempt(db, run_id, "a", tokens=4, cost=0.25)
    attempt(db, run_id, "b")
    gate = attempts.reserve(db, run_id, a_wanted("step-1.gate", phase="gate"), at=AT)
    assert unit_views.accounting(db, run_id)._asdict() == {
        "dispatches": 3,
        "dispatch_tokens": 7,
        "gates": 1,
        "gate_tokens": 0,
        "cost": 0.25,
    }
    attempts.finish(db, run_id, finished(gate, tokens=9, cost=0.5), at=AT)
    attempt(db, publish(db), "a", tokens=100, cost=9.0)
    assert unit_views.accounting(db, run_id) == (3, 7, 1, 9, 0.75)


def test_the_journal_keeps_every_attempt_and_the_units_only_the_latest(db: Database) -> None:
    run_id = publish(db)
    attempt(db, run_id, "a", status="failed", failure_reason="timeout", result_json='"Too slow."')
    attempt(db, run_id, "a", tokens=1)
    attempt(db, run_id, "b")
    shown = [(one["unitId"], one["attempt"], one["status"]) for one in unit_views.journal(db, run_id)]
    assert shown == [("a", 1, "failed"), ("a", 2, "completed"), ("b", 1, "completed")]
    assert unit_views.journal(db, run_id)[0]["diagnostic"] == "Too slow."
    units = [(one["unitId"], one["attempts"], one["failureReason"]) for one in unit_views.of_run(db, run_id)]
    assert units == [("a", 2, None), ("b", 1, None)]


def test_the_journal_is_in_the_order_in_which_attempts_started(db: Database) -> None:
    run_id = publish(db)
    for seconds, unit_id in enumerate("cab"):
        attempt(db, run_id, unit_id, at=later(seconds))
    assert [one["unitId"] for one in unit_views.journal(db, run_id)] == ["c", "a", "b"]


def test_units_and_attempts_show_who_did_them_and_what_they_cost(db: Database) -> None:
    run_id = publish(db)
    wanted = a_wanted("a", runner="agent", engine="writer", model="small", input_hash="hash-9")
    reserved = attempts.reserve(db, run_id, wanted, at=AT)
    attempts.finish(db, run_id, finished(reserved, tokens=3, cost=0.5, session_id="s-1"), at=AT)
    expected = {
        "phase": "unit",
        "runner": "agent",
        "engine": "writer",
        "model": "small",
        "inputHash": "hash-9",
        "tokens": 3,
        "cost": 0.5,
        "sessionId": "s-1",
    }
    for (shown,) in (unit_views.of_run(db, run_id), unit_views.journal(db, run_id)):
        assert {name: shown[name] for name in expected} == expected


def test_a_new_attempt_forgets_the_cost_of_the_one_before_and_the_journal_keeps_it(db: Database) -> None:
    run_id = publish(db)
    attempt(db, run_id, "a", status="failed", cost=0.5)
    attempts.reserve(db, run_id, a_wanted("a"), at=AT)
    assert [one["cost"] for one in unit_views.of_run(db, run_id)] == [None]
    assert [one["cost"] for one in unit_views.journal(db, run_id)] == [0.5, None]


def test_a_step_shows_its_units_and_gates_and_no_others(db: Database) -> None:
    run_id = publish(db, 2)
    attempt(db, run_id, "a")
    attempts.reserve(db, run_id, a_wanted("b", step_id="step-2"), at=AT)
    attempts.reserve(db, run_id, a_wanted("step-1.gate", phase="gate"), at=AT)
    found = unit_views.of_step(db, run_id, "step-1")
    assert {(unit.unit_id, unit.phase, unit.status) for unit in found} == {
        ("a", "unit", "completed"),
        ("step-1.gate", "gate", "running"),
    }


@pytest.mark.parametrize(
    ("status", "result", "expected"),
    [
        ("failed", '"why"', "why"),
        ("completed", '"why"', None),
        ("failed", None, None),
        ("failed", "{damaged", None),
        ("failed", '{"no":"text"}', None),
        ("failed", '"' + "y" * 2001 + '"', "y" * DIAGNOSTIC_CLIP + "…"),
    ],
)
def test_only_a_failed_unit_has_a_diagnostic_and_it_is_clipped(
    status: str, result: str | None, expected: str | None
) -> None:
    assert diagnostic(status, result) == expected


@pytest.mark.parametrize(
    ("result", "accepted", "told"),
    [
        ('{"complete":true,"missing":[]}', True, None),
        (
            '{"complete":false,"feedback":"Write more.","missing":["a","b"]}',
            False,
            "Write more. Not met: a; b",
        ),
        ('{"complete":false,"feedback":"Write more."}', False, "Write more."),
        ('{"complete":"no"}', None, None),
        ("{", None, None),
        (None, None, None),
    ],
)
def test_what_a_judge_decided_is_told(
    db: Database, result: str | None, accepted: bool | None, told: str | None
) -> None:
    run_id = publish(db)
    gate = attempts.reserve(db, run_id, a_wanted("step-1.gate:l1", phase="gate"), at=AT)
    attempts.finish(db, run_id, finished(gate, result_json=result), at=AT)
    attempt(db, run_id, "a", result_json='{"complete":true}')
    for rows in (unit_views.of_run(db, run_id), unit_views.journal(db, run_id)):
        shown = {one["unitId"]: one for one in rows}
        assert "accepted" not in shown["a"]
        found = shown["step-1.gate:l1"]
        assert (found["accepted"], found["diagnostic"]) == (accepted, told)
