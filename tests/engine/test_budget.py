"""A run's ceilings hold over all its invocations, whatever kills it in between."""

from __future__ import annotations

import pytest
from outcomes import broken, done, said
from places import Place
from workflow_files import a_map, a_step, items

from akm.engine.budget import Spending
from akm.services import runs
from akm.workflow.document import Budget

AT = "2027-01-01T00:00:00.000Z"


def resumed(place: Place) -> str:
    run_id = str(place.row("SELECT id FROM workflow_runs")["id"])
    runs.resume(place.db, run_id, at=AT)
    return run_id


def test_as_many_units_as_the_budget_has_are_enough(place: Place) -> None:
    place.write(a_map("a"), params=items(1, 2, 3), budget={"max_units": 3})
    assert place.fake(done).exit_status == 0


def test_one_unit_less_fails_the_step_even_when_it_may_go_on(place: Place) -> None:
    place.write(
        a_map("a", on_error="continue", concurrency=1), params=items(1, 2, 3), budget={"max_units": 2}
    )
    result = place.fake(done)
    assert (result.exit_status, len(place.attempts())) == (1, 2)
    assert "budget of 2 units" in result.executed[0].summary
    assert "max_units" in place.row("SELECT evidence_json FROM workflow_run_steps")["evidence_json"]


def test_no_unit_is_reserved_only_to_be_stopped_by_the_budget(place: Place) -> None:
    place.write(a_map("a", concurrency=3), params=items(1, 2, 3), budget={"max_units": 2})
    assert place.fake(done).exit_status == 1
    assert place.attempts() == []


def test_resuming_does_not_widen_the_budget(place: Place) -> None:
    place.write(a_map("a", concurrency=1), params=items(*range(20)), budget={"max_units": 5})
    place.fake(lambda one: broken() if one.item.item == 2 else said("x"))
    for _again in range(3):
        place.fake(done, target=resumed(place), max_retries=2)
    assert len(place.attempts()) == 5
    assert place.status() == "failed"


def test_retries_and_failed_attempts_count(place: Place) -> None:
    place.write(a_step("a", retry={"max": 9, "on": ["timeout"]}), budget={"max_units": 3})
    result = place.fake(lambda _one: broken("timeout"), max_retries=5)
    assert [row[1] for row in place.attempts()] == [1, 2, 3]
    assert "budget of 3 units" in result.executed[-1].summary
    assert len(result.executed) == 1, "a spent budget is not tried again"


def test_reuse_costs_nothing(place: Place) -> None:
    place.write(a_map("a", concurrency=1), params=items(1, 2, 3), budget={"max_units": 4})
    place.fake(lambda one: broken() if one.item.item == 3 else said("x"))
    assert place.fake(done, target=resumed(place)).exit_status == 0
    assert len(place.attempts()) == 4


def test_an_attempt_that_is_handed_out_again_is_not_counted_twice(place: Place) -> None:
    place.write(a_step("a"), a_step("b"), budget={"max_units": 2})
    place.fake(done, max_steps=1)
    run_id = place.row("SELECT id FROM workflow_runs")["id"]
    left = {"status": "running", "finished_at": None, "result_json": None}
    for table in ("workflow_run_units", "workflow_run_unit_attempts"):
        place.db.connection.execute(f"UPDATE {table} SET status = :status, finished_at = :finished_at", left)
    place.db.connection.execute("UPDATE workflow_run_steps SET status = 'pending', completed_at = NULL")
    place.db.connection.execute("UPDATE workflow_runs SET current_step_id = 'a'")
    assert place.fake(done, target=run_id).exit_status == 0
    assert [row[:3] for row in place.attempts()] == [("a:solo", 1, "completed"), ("b:solo", 1, "completed")]


def test_the_unit_that_reaches_the_token_ceiling_fails_its_step(place: Place) -> None:
    place.write(a_step("a"), budget={"max_tokens": 10})
    result = place.fake(lambda _one: said("x", tokens=10))
    assert result.exit_status == 1
    assert "budget of 10 tokens" in result.executed[0].summary
    assert place.attempts() == [("a:solo", 1, "completed", None)]


def test_tokens_are_counted_over_resumes(place: Place) -> None:
    place.write(a_map("a", concurrency=1), params=items(1, 2, 3), budget={"max_tokens": 10})
    place.fake(lambda one: said("x", tokens=4) if one.item.item < 2 else broken())
    result = place.fake(lambda _one: said("y", tokens=6), target=resumed(place))
    assert "budget of 10 tokens" in result.executed[0].summary
    assert len([row for row in place.attempts() if row[2] == "completed"]) == 2


@pytest.mark.parametrize(("used", "admitted"), [(2, True), (3, False)])
def test_what_the_journal_holds_is_spent(used: int, admitted: bool) -> None:
    assert Spending(Budget(max_units=3), units=used).admit() is admitted


def test_what_was_given_back_can_be_spent() -> None:
    spending = Spending(Budget(max_units=1))
    assert spending.admit()
    spending.give_back(1)
    assert spending.admit()
