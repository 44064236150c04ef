"""A run's ceilings hold over all its invocations, whatever kills it in between."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from builders import a_wanted
from outcomes import broken, done, said
from places import Place
from workflow_files import a_map, a_step, items

from akm.engine.budget import Spending
from akm.engine.runners.base import Dispatch, Outcome
from akm.services import attempts, runs
from akm.workflow.parsing.document import Budget

AT = "2027-01-01T00:00:00.000Z"
CONFIG = """\
[defaults]
engine = "writer"

[engines.writer]
kind = "llm"
base_url = "http://127.0.0.1:9/v1"
model = "small"

[workflow]
judge_engine = "writer"

[prices.small]
input = 1000
output = 2000
"""


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


def write_priced(place: Place, *steps: dict[str, Any], max_cost: float = 1.0, **top: Any) -> None:
    """Write a workflow whose engine is priced at 1 per thousand tokens read and 2 per thousand written."""
    (place.root / ".akm").mkdir()
    (place.root / ".akm/config.toml").write_text(CONFIG)
    body = {step["id"]: "Do it." for step in steps} | top.pop("body", {})
    place.write(*steps, body=body, budget={"max_cost": max_cost}, **top)


def costs(place: Place) -> list[float | None]:
    return [row["cost"] for row in place.rows("SELECT cost FROM workflow_run_unit_attempts ORDER BY rowid")]


def test_an_outcome_costs_what_the_tool_says_or_else_what_its_tokens_do(place: Place) -> None:
    outcomes = iter(
        [
            said("x", cost=0.5, tokens=10_000),
            said("x", tokens=150, input_tokens=100, output_tokens=50),
            said("x", tokens=100),
            said("x"),
            said("x", cost=-1.0, tokens=100),
            said("x", cost=float("nan")),
        ]
    )
    write_priced(place, *({"id": name} for name in "abcdef"), max_cost=9)
    assert place.fake(lambda _one: next(outcomes)).exit_status == 0
    assert costs(place) == [0.5, 0.2, 0.2, None, 0.2, None]
    projected = place.rows("SELECT cost FROM workflow_run_units ORDER BY rowid")
    assert [row["cost"] for row in projected] == costs(place)


def test_the_price_of_the_start_holds_for_the_whole_run(place: Place) -> None:
    write_priced(place, {"id": "a"}, {"id": "b"}, max_cost=9)
    place.fake(lambda _one: said("x", tokens=100), max_steps=1)
    (place.root / ".akm/config.toml").write_text(CONFIG.replace("2000", "9000"))
    place.fake(lambda _one: said("x", tokens=100))
    assert costs(place) == [0.2, 0.2]


def test_the_unit_that_reaches_the_ceiling_in_money_fails_its_step_even_when_it_may_go_on(
    place: Place,
) -> None:
    mapped = {"id": "a", "map": {"over": "params.items", "concurrency": 1, "unit": {"on_error": "continue"}}}
    write_priced(place, mapped, params=items(*range(20)))
    # Ten times 0.1 is a hair less than 1.
    result = place.fake(lambda _one: said("x", cost=0.1))
    assert (result.exit_status, result.run["status"]) == (1, "failed")
    assert "budget of 1 in money" in result.executed[0].summary
    assert len(place.attempts()) == 10


def test_money_is_counted_over_resumes(place: Place) -> None:
    write_priced(place, {"id": "a"}, {"id": "b"}, {"id": "c"})
    place.fake(lambda _one: said("x", cost=0.6), max_steps=1)
    result = place.fake(lambda _one: said("x", cost=0.4))
    assert "budget of 1 in money" in result.executed[-1].summary
    for _again in range(2):
        assert place.fake(done, target=resumed(place), max_retries=2).exit_status == 1
    assert [row[0] for row in place.attempts()] == ["a:solo", "b:solo"]


def test_nothing_is_dispatched_again_when_no_money_is_left(place: Place) -> None:
    write_priced(place, {"id": "a"}, {"id": "b"})
    place.fake(lambda _one: said("x", cost=0.6), max_steps=1)
    run_id = place.row("SELECT id FROM workflow_runs")["id"]
    left = a_wanted("b:solo", step_id="b", node_id="b")
    attempts.reserve(place.db, run_id, left, at=AT)
    place.db.connection.execute("UPDATE workflow_run_unit_attempts SET cost = 1.0 WHERE step_id = 'a'")
    place.dispatched.clear()
    result = place.fake(done, target=run_id)
    assert "budget of 1 in money" in result.executed[-1].summary
    assert place.dispatched == []


JUDGED = "Do it.\n\n### gate\n\nIt is done well."
PASS = '{"complete": true, "missing": []}'


def judged(unit: Outcome, verdict: Outcome) -> Callable[[Dispatch], Outcome]:
    return lambda dispatch: unit if dispatch.prompt is None else verdict


def test_what_judges_cost_counts_in_money_and_not_in_units_and_tokens(place: Place) -> None:
    write_priced(place, {"id": "a"}, {"id": "b"}, {"id": "c"}, body={"a": JUDGED, "b": JUDGED})
    budget = {"max_cost": 1, "max_units": 2, "max_tokens": 1000}
    place.write({"id": "a"}, {"id": "b"}, body={"a": JUDGED, "b": JUDGED}, budget=budget)
    act = judged(said("x", tokens=10, cost=0.1), said(PASS, tokens=900, cost=0.2))
    assert place.fake(act).exit_status == 0
    assert costs(place) == [0.1, 0.2, 0.1, 0.2]


def test_no_unit_starts_after_a_judge_has_used_up_the_money(place: Place) -> None:
    write_priced(place, {"id": "a"}, {"id": "b"}, body={"a": JUDGED})
    result = place.fake(judged(said("x", cost=0.5), said(PASS, cost=0.5)))
    assert [one.ending for one in result.executed] == ["advanced", "failed"]
    assert "budget of 1 in money" in result.executed[-1].summary
    assert place.fake(done, target=resumed(place)).exit_status == 1
    assert costs(place) == [0.5, 0.5]


def test_a_judge_is_not_asked_when_no_money_is_left(place: Place) -> None:
    write_priced(place, {"id": "a"}, body={"a": JUDGED})
    reply = said("no verdict", cost=1.0)
    assert place.fake(judged(said("x"), reply)).run["status"] == "blocked"
    place.dispatched.clear()
    result = place.fake(judged(said("x"), reply), target=resumed(place))
    assert result.run["status"] == "blocked"
    assert "its judge was not asked: the budget of 1 in money" in result.executed[-1].summary
    assert place.dispatched == []


def test_a_result_that_cannot_be_stored_has_still_been_paid_for(place: Place) -> None:
    write_priced(place, {"id": "a"})
    outcome = Outcome("completed", result=float("nan"), has_result=True, tokens=7, cost=0.5)
    assert place.fake(lambda _one: outcome).exit_status == 1
    row = place.row("SELECT * FROM workflow_run_unit_attempts")
    assert (row["status"], row["tokens"], row["cost"]) == ("failed", 7, 0.5)


@pytest.mark.parametrize(("used", "admitted"), [(2, True), (3, False)])
def test_what_the_journal_holds_is_spent(used: int, admitted: bool) -> None:
    assert Spending(Budget(max_units=3), units=used).admit() is admitted


def test_what_was_given_back_can_be_spent() -> None:
    spending = Spending(Budget(max_units=1))
    assert spending.admit()
    spending.give_back(1)
    assert spending.admit()
