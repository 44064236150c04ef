"""What a run has spent, by step and by model."""

from __future__ import annotations

from typing import Any

from builders import AT, a_wanted, attempt, finished, publish

from akm.services import attempts
from akm.store.database import Database
from akm.views import usage


def ended(db: Database, run_id: str, unit_id: str, *, tokens: int, cost: float | None, **wanted: Any) -> None:
    reserved = attempts.reserve(db, run_id, a_wanted(unit_id, **wanted), at=AT)
    attempts.finish(db, run_id, finished(reserved, tokens=tokens, cost=cost), at=AT)


def test_a_run_that_dispatched_nothing_has_spent_nothing(db: Database) -> None:
    assert usage.of_run(db, publish(db)) == {
        "dispatches": 0,
        "gates": 0,
        "tokens": 0,
        "cost": None,
        "bySteps": [],
        "byModels": [],
    }


def test_steps_and_models_add_up_to_the_whole_with_the_judges_share(db: Database) -> None:
    run_id = publish(db, 3)
    writer, judge = {"engine": "writer", "model": "large"}, {"engine": "judge", "model": "small"}
    ended(db, run_id, "z", step_id="step-2", tokens=10, cost=0.5, **writer)
    ended(db, run_id, "a", tokens=5, cost=0.25, **writer)
    ended(db, run_id, "a", tokens=5, cost=None, **writer)
    ended(db, run_id, "g", phase="gate", tokens=2, cost=0.125, **judge)
    attempt(db, run_id, "exec")
    attempt(db, publish(db), "other", tokens=99, cost=99.0)
    assert usage.of_run(db, run_id) == {
        "dispatches": 4,
        "gates": 1,
        "tokens": 22,
        "cost": 0.875,
        "bySteps": [
            {"stepId": "step-1", "attempts": 4, "tokens": 12, "cost": 0.375},
            {"stepId": "step-2", "attempts": 1, "tokens": 10, "cost": 0.5},
        ],
        "byModels": [
            {"engine": "judge", "model": "small", "attempts": 1, "tokens": 2, "cost": 0.125},
            {"engine": "writer", "model": "large", "attempts": 3, "tokens": 20, "cost": 0.75},
        ],
    }


def test_steps_come_in_their_order_and_not_by_name(db: Database) -> None:
    run_id = publish(db, 10)
    for number in (10, 2):
        ended(db, run_id, f"u{number}", step_id=f"step-{number}", tokens=1, cost=None)
    assert [one["stepId"] for one in usage.of_run(db, run_id)["bySteps"]] == ["step-2", "step-10"]


def test_what_nobody_knows_the_cost_of_is_not_free(db: Database) -> None:
    run_id = publish(db)
    ended(db, run_id, "a", tokens=5, cost=None, engine="writer")
    shown = usage.of_run(db, run_id)
    assert [shown["cost"], shown["bySteps"][0]["cost"], shown["byModels"][0]["cost"]] == [None] * 3
    assert shown["byModels"][0]["model"] is None
