"""Forks: what came before is taken over as it ended, and what comes after is done again."""

from __future__ import annotations

import json
from typing import Any

import pytest
from outcomes import said
from places import Place
from workflow_files import a_map, a_step, items, sh

from akm.engine.recovery import forking
from akm.engine.runners.base import Dispatch, Outcome, failed
from akm.errors import UsageError
from akm.views import runs as run_views

AT = "2027-01-15T08:00:00.000Z"


def fork(place: Place, run_id: str, step_id: str, **more: Any) -> str:
    return forking.fork(place.db, run_id, step_id, at=AT, **more).run_id


def only_run(place: Place) -> str:
    return str(place.row("SELECT id FROM workflow_runs")["id"])


def steps_of(place: Place, run_id: str) -> dict[str, dict[str, Any]]:
    query = "SELECT * FROM workflow_run_steps WHERE run_id = ? ORDER BY sequence_index"
    return {row["step_id"]: row for row in place.rows(query, run_id)}


def test_steps_before_are_taken_over_and_the_others_are_done_again(place: Place) -> None:
    steps = [a_step("a", *sh("echo one")), a_step("b", *sh("echo $AKM_INPUTS"), inputs=("steps.a.output",))]
    place.write(*steps, a_step("c"))
    place.run()
    source = only_run(place)
    (place.root / "workflows/w.md").unlink()
    forked = fork(place, source, "b")
    before, after = steps_of(place, source), steps_of(place, forked)
    assert {**before["a"], "run_id": forked} == after["a"]
    assert [after[name]["status"] for name in "bc"] == ["pending", "pending"]
    assert place.run(forked).exit_status == 0
    assert json.loads(steps_of(place, forked)["b"]["evidence_json"])["output"]
    units = place.rows("SELECT unit_id FROM workflow_run_units WHERE run_id = ?", forked)
    assert sorted(row["unit_id"] for row in units) == ["b:solo", "c:solo"]


def test_a_fork_says_where_it_comes_from_and_leaves_its_source_alone(place: Place) -> None:
    place.write(a_step("a"), a_step("b"))
    place.run()
    source = only_run(place)
    before = place.rows("SELECT * FROM workflow_runs")
    forked = fork(place, source, "b")
    assert place.rows("SELECT * FROM workflow_runs WHERE id = ?", source) == before
    shown = run_views.detail(place.db, forked)["run"]
    assert (shown["forkedFromRunId"], shown["forkedFromStepId"]) == (source, "b")
    event = place.row("SELECT metadata_json FROM events WHERE event_type = 'workflow_forked'")
    assert json.loads(event["metadata_json"])["forkedFromRunId"] == source


def test_a_fork_may_have_other_parameters_which_are_checked(place: Place) -> None:
    place.write(a_step("a"), a_step("b", *sh("echo $AKM_PARAMS")), params={"n": {"type": "integer"}})
    place.run(given=[("n", "1")])
    source = only_run(place)
    with pytest.raises(UsageError):
        fork(place, source, "b", given=[("n", "many")])
    with pytest.raises(UsageError):
        fork(place, source, "b", given=[("m", "1")])
    made = forking.fork(place.db, source, "b", at=AT, given=[("n", "2")])
    assert "n" in made.warnings[0]
    place.run(made.run_id)
    assert json.loads(json.loads(steps_of(place, made.run_id)["b"]["evidence_json"])["output"]) == {"n": 2}


@pytest.mark.parametrize(("step_id", "word"), [("c", "step b before it"), ("x", "has no step")])
def test_a_step_that_cannot_be_forked_from_is_refused(place: Place, step_id: str, word: str) -> None:
    place.write(a_step("a"), a_step("b", "false"), a_step("c"))
    place.run()
    with pytest.raises(UsageError, match=word):
        fork(place, only_run(place), step_id)
    assert len(place.rows("SELECT 1 FROM workflow_runs")) == 1


def test_an_active_run_stands_in_the_way_unless_it_may_stay(place: Place) -> None:
    place.write(a_step("a"), a_step("b"))
    source = place.run(max_steps=1).run["id"]
    with pytest.raises(UsageError, match="already active"):
        fork(place, source, "a")
    assert place.run(fork(place, source, "a", new=True)).exit_status == 0


def test_a_child_is_not_forked(place: Place) -> None:
    place.write(a_step("x"), name="c")
    place.write({"id": "call", "unit": {"workflow": "workflows/c"}})
    place.run()
    child = place.row("SELECT id FROM workflow_runs WHERE parent_run_id IS NOT NULL")["id"]
    with pytest.raises(UsageError, match="is the child of"):
        fork(place, child, "x")


def test_only_the_failed_items_are_done_again_in_a_fork(place: Place) -> None:
    place.write(a_map("a", on_error="continue"), a_step("b"), params=items(1, 2, 3))

    def act(dispatch: Dispatch) -> Outcome:
        is_bad = dispatch.item.item == 2 and not dispatch.environment.get("MENDED")
        return failed("non_zero_exit", "no") if is_bad else said(f"did {dispatch.item.item}")

    place.fake(act)
    source = only_run(place)
    step_id = forking.partly_failed(place.db, source)
    assert step_id == "a"
    forked = fork(place, source, step_id, failed_only=True)
    place.dispatched.clear()
    assert place.fake(act, forked, environment={"MENDED": "1"}).exit_status == 0
    assert [dispatch.item.item for dispatch in place.dispatched] == [2, None]
    evidence = json.loads(steps_of(place, forked)["a"]["evidence_json"])
    assert evidence["output"] == ["did 1", "did 2", "did 3"]
    query = "SELECT unit_id, attempt, dispatch_id FROM workflow_run_unit_attempts WHERE run_id = ?"
    attempts = place.rows(query, forked)
    assert {row["attempt"] for row in attempts} == {1}
    assert len({row["dispatch_id"] for row in attempts}) == len(attempts) == 4


def test_a_run_without_failed_items_has_nothing_to_retry(place: Place) -> None:
    place.write(a_map("a", on_error="continue"), params=items(1))
    place.run()
    with pytest.raises(UsageError, match="nothing to retry"):
        forking.partly_failed(place.db, only_run(place))
