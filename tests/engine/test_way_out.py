"""The commands that lead a stopped run on, from whatever run of a family they are asked for."""

from __future__ import annotations

import pytest
import repositories_made as made
from outcomes import done, said
from places import Place
from workflow_files import a_map, a_step, items, sh

from akm.engine.recovery import forking, way_out
from akm.engine.runners.base import Dispatch, Outcome
from akm.services import runs

AT = "2027-01-15T08:00:00.000Z"


def a_failed_family(place: Place) -> tuple[str, str]:
    """Run a parent whose child fails while the file `ok` is missing; returns (root, child)."""
    place.write(a_step("deep", *sh(f"test -e {place.root}/ok")), name="c")
    place.write({"id": "call", "unit": {"workflow": "workflows/c"}}, a_step("end"))
    root = str(place.run().run["id"])
    return root, str(place.row("SELECT id FROM workflow_runs WHERE parent_run_id = ?", root)["id"])


def test_a_child_is_led_on_by_its_root(place: Place) -> None:
    root, child = a_failed_family(place)
    expected = [f"akm workflow resume {root} --cascade", f"akm workflow run {root}"]
    assert way_out.commands(place.db, root) == way_out.commands(place.db, child) == expected


def test_a_root_that_was_reopened_without_its_child_is_told_to_cascade(place: Place) -> None:
    root, child = a_failed_family(place)
    runs.resume(place.db, root, at=AT)
    assert way_out.commands(place.db, child)[0] == f"akm workflow resume {root} --cascade"


def test_a_reopened_child_needs_no_cascade_any_more(place: Place) -> None:
    root, child = a_failed_family(place)
    runs.resume(place.db, child, at=AT)
    assert way_out.commands(place.db, child)[0] == f"akm workflow resume {root}"


def test_a_child_that_its_parent_goes_on_without_is_done_again_in_a_fork(place: Place) -> None:
    place.write(a_step("deep", "false"), name="c")
    place.write({"id": "call", "unit": {"workflow": "workflows/c", "on_error": "continue"}}, a_step("end"))
    root = str(place.run(max_steps=1).run["id"])
    child = str(place.row("SELECT id FROM workflow_runs WHERE parent_run_id = ?", root)["id"])
    runs.resume(place.db, child, at=AT)
    # Driven by itself, it fails once more, and its root still does not wait for it.
    assert place.run(child).way_out == [f"akm workflow fork {root} --from call --new"]
    assert way_out.commands(place.db, root) == []
    assert place.run(root).exit_status == 0
    assert way_out.commands(place.db, child) == [f"akm workflow fork {root} --from call"]


def test_deep_in_a_family_the_step_of_the_root_is_named(place: Place) -> None:
    place.write(a_step("deep", "false"), name="leaf")
    place.write({"id": "below", "unit": {"workflow": "workflows/leaf"}}, name="middle")
    place.write({"id": "call", "unit": {"workflow": "workflows/middle", "on_error": "continue"}})
    root = str(place.run().run["id"])
    leaf = str(place.row("SELECT id FROM workflow_runs WHERE workflow_ref LIKE '%leaf'")["id"])
    assert way_out.commands(place.db, leaf) == [f"akm workflow fork {root} --from call"]


def test_nothing_leads_on_what_is_not_stopped(place: Place) -> None:
    root, child = a_failed_family(place)
    for run_id in (child, root):
        runs.resume(place.db, run_id, at=AT)
    assert way_out.commands(place.db, root) == way_out.commands(place.db, child) == []
    (place.root / "ok").touch()
    assert place.run(root).exit_status == 0
    assert way_out.commands(place.db, root) == way_out.commands(place.db, child) == []


def test_a_person_is_asked_first(place: Place) -> None:
    place.write(a_step("a") | {"gate": {"approve": True}})
    run_id = str(place.run().run["id"])
    assert way_out.commands(place.db, run_id) == [
        f"akm workflow approve {run_id}",
        f"akm workflow run {run_id}",
    ]


def test_the_commands_are_told_in_their_order(place: Place) -> None:
    place.write(a_step("a", "false"))
    run_id = str(place.run().run["id"])
    told = way_out.sentence(place.db, run_id)
    assert told == f"`akm workflow resume {run_id}`, then `akm workflow run {run_id}`"


def spent_a_token(dispatch: Dispatch) -> Outcome:
    return said(dispatch.item.unit_id, tokens=1)


@pytest.mark.parametrize(
    ("budget", "before", "helps"),
    [
        ({"max_units": 3}, 2, "fork"),
        ({"max_units": 2}, 0, "new"),
        ({"max_units": 2}, 1, "new"),
        ({"max_tokens": 3}, 2, "fork"),
        ({"max_tokens": 2}, 0, "new"),
    ],
)
def test_past_a_used_up_budget_leads_a_fork_that_has_enough_of_it_or_a_new_run(
    place: Place, budget: dict[str, int], before: int, helps: str
) -> None:
    earlier = [a_step(f"s{number}") for number in range(before)]
    place.write(*earlier, a_map("b", concurrency=1), a_step("c"), params=items(1, 2, 3), budget=budget)
    failed = place.fake(spent_a_token)
    root, ref = failed.run["id"], failed.run["workflowRef"]
    told = f"akm workflow fork {root} --from b" if helps == "fork" else f"akm workflow run --new {ref}"
    assert failed.way_out == way_out.commands(place.db, root) == [told]
    runs.resume(place.db, root, at=AT)
    assert place.fake(spent_a_token, root).exit_status == 1


def test_a_fork_from_the_step_that_a_budget_stopped_gets_past_it(place: Place) -> None:
    place.write(a_step("a"), a_map("b", concurrency=1), params=items(1, 2), budget={"max_units": 2})
    failed = place.fake(done)
    root = failed.run["id"]
    assert failed.way_out == [f"akm workflow fork {root} --from b"]
    forked = forking.fork(place.db, root, "b", at=AT).run_id
    assert place.fake(done, forked).exit_status == 0


def test_a_budget_that_the_last_unit_used_up_needs_no_more_than_reopening(place: Place) -> None:
    place.write(a_map("a", concurrency=1), params=items(1, 2), budget={"max_tokens": 2})
    failed = place.fake(spent_a_token)
    root = failed.run["id"]
    assert failed.way_out == [f"akm workflow resume {root}", f"akm workflow run {root}"]
    runs.resume(place.db, root, at=AT)
    assert place.fake(spent_a_token, root).exit_status == 0


def test_of_a_child_whose_budget_is_used_up_a_new_run_of_the_root_is_what_helps(place: Place) -> None:
    place.write(a_map("deep"), params=items(1, 2), budget={"max_units": 1}, name="c")
    place.write(a_step("a"), {"id": "call", "unit": {"workflow": "workflows/c"}})
    failed = place.run()
    child = place.row("SELECT id FROM workflow_runs WHERE parent_run_id IS NOT NULL")["id"]
    told = [f"akm workflow run --new {failed.run['workflowRef']}"]
    assert failed.way_out == way_out.commands(place.db, child) == told


def test_a_run_that_had_no_commit_at_its_start_has_to_be_started_anew(place: Place) -> None:
    (place.root / ".git").rmdir()
    made.init(place.root)
    place.write(a_step("a", isolation="worktree"))
    failed = place.run()
    assert failed.way_out == [f"akm workflow run --new {failed.run['workflowRef']}"]
    made.commit(place.root)
    assert place.run(new=True).exit_status == 0


def test_another_failure_beside_a_budget_is_led_on_as_any(place: Place) -> None:
    said_so = "the budget of 2 units is used up (budget.max_units)"
    place.write(a_step("a", *sh(f"echo '{said_so}' >&2; exit 1")), budget={"max_units": 2})
    root = place.run().run["id"]
    assert way_out.commands(place.db, root)[0] == f"akm workflow resume {root}"
