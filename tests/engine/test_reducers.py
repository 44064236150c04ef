"""What a map's reducer makes of its units' results, in a run: the artifact, the evidence, the next step."""

from __future__ import annotations

import json
from typing import Any

import pytest
from outcomes import broken, said
from places import Place
from workflow_files import a_map, a_step, items

from akm.engine.runners.base import Dispatch, Outcome
from akm.services import runs


def mapped(reducer: str, **unit: Any) -> dict[str, Any]:
    """Describe a map over `params.items` with this reducer, one unit at a time."""
    step = a_map("a", concurrency=1, **unit)
    return step | {"map": step["map"] | {"reducer": reducer}}


def echo(dispatch: Dispatch) -> Outcome:
    """Say the item, fail for null's stand-in and say nothing for an empty one."""
    item = dispatch.item.item
    return broken() if item == "broken" else said(str(item))


def evidence(place: Place) -> dict[str, Any]:
    row = place.row("SELECT evidence_json FROM workflow_run_steps WHERE step_id = 'a'")
    found: dict[str, Any] = json.loads(row["evidence_json"])
    return found


def test_collect_lists_the_values_in_item_order_with_null_for_the_failed_and_the_silent(place: Place) -> None:
    place.write(
        mapped("collect", on_error="continue"),
        a_step("b", inputs=("steps.a.output",)),
        params=items("z", "broken", "", "a"),
    )
    assert place.fake(echo).exit_status == 0
    assert place.output("a") == ["z", None, None, "a"]
    assert evidence(place)["itemCount"] == 4
    assert place.dispatched[-1].item.inputs == (("steps.a.output", ["z", None, None, "a"]),)


def test_the_value_that_most_units_gave_is_the_artifact_of_a_vote(place: Place) -> None:
    place.write(
        mapped("vote", on_error="continue"),
        a_step("b", inputs=("steps.a.output",)),
        params=items("yes", "no", "broken", "yes"),
    )
    assert place.fake(lambda one: said("1") if one.item.step_id == "b" else echo(one)).exit_status == 0
    assert place.output("a") == "yes"
    assert evidence(place)["vote"] == {"winner": "yes", "votes": 2, "total": 3}


@pytest.mark.parametrize("given", [("yes", "no"), ("yes", "no", "broken"), ("broken",), ("broken", "broken")])
def test_a_vote_without_a_winner_fails_its_step_even_when_it_may_go_on(
    place: Place, given: tuple[str, ...]
) -> None:
    place.write(mapped("vote", on_error="continue"), a_step("b"), params=items(*given))
    result = place.fake(echo)
    assert (result.exit_status, result.run["status"], result.run["currentStepId"]) == (1, "failed", "a")
    found = evidence(place)
    assert found["output"] is None
    assert found["voteError"] in result.executed[-1].summary
    assert "vote" not in found


def test_one_failed_unit_fails_a_vote_that_does_not_go_on(place: Place) -> None:
    place.write(mapped("vote"), params=items("yes", "yes", "broken"))
    assert place.fake(echo).exit_status == 1


def test_an_empty_list_is_an_empty_collection(place: Place) -> None:
    place.write(mapped("collect"), params=items())
    assert place.fake(echo).exit_status == 0
    assert place.output("a") == []


def test_a_vote_is_counted_from_the_journal_on_resume(place: Place) -> None:
    place.write(mapped("vote"), params=items("yes", "no", "yes", "late"))
    place.fake(lambda one: broken() if one.item.item == "late" else echo(one))
    run_id = place.row("SELECT id FROM workflow_runs")["id"]
    runs.resume(place.db, run_id, at="2027-01-01T00:00:00.000Z")
    place.dispatched.clear()
    assert place.fake(lambda _one: said("yes"), target=run_id).exit_status == 0
    assert len(place.dispatched) == 1
    assert evidence(place)["vote"] == {"winner": "yes", "votes": 3, "total": 4}
