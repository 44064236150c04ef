"""The commands that lead a stopped run on, from whatever run of a family they are asked for."""

from __future__ import annotations

from places import Place
from workflow_files import a_step, sh

from akm.engine.recovery import way_out
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
    assert place.run(child).way_out == [f"akm workflow fork {root} --from STEP"]
    assert way_out.commands(place.db, root) == []


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
