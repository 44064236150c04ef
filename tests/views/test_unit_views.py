"""Units, attempts and what they have cost."""

from __future__ import annotations

import pytest
from builders import AT, a_wanted, attempt, finished, publish

from akm.services import attempts
from akm.store.database import Database
from akm.views import units as unit_views
from akm.views.units import DIAGNOSTIC_CLIP, diagnostic


def test_accounting_counts_dispatches_and_gates_apart_and_missing_tokens_as_none(db: Database) -> None:
    run_id = publish(db)
    assert unit_views.accounting(db, run_id) == (0, 0, 0, 0)
    attempt(db, run_id, "a", tokens=3)
    attempt(db, run_id, "a", tokens=4)
    attempt(db, run_id, "b")
    gate = attempts.reserve(db, run_id, a_wanted("step-1.gate", phase="gate"), at=AT)
    assert unit_views.accounting(db, run_id)._asdict() == {
        "dispatches": 3,
        "dispatch_tokens": 7,
        "gates": 1,
        "gate_tokens": 0,
    }
    attempts.finish(db, run_id, finished(gate, tokens=9), at=AT)
    attempt(db, publish(db), "a", tokens=100)
    assert unit_views.accounting(db, run_id) == (3, 7, 1, 9)


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
