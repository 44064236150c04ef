"""How a child's end becomes the end of its parent's step, and that a frozen family is always the same."""

from __future__ import annotations

from typing import Any

import pytest
from gates import Court, a_prose_step, rejection
from outcomes import said
from places import Place
from workflow_files import a_step

from akm.engine import runs_below
from akm.services import runs

AT = "2027-01-15T08:00:00.000Z"


def a_child_step(step_id: str, ref: str = "workflows/c") -> dict[str, Any]:
    return {"id": step_id, "unit": {"workflow": ref}}


def root(place: Place) -> dict[str, Any]:
    return place.row("SELECT * FROM workflow_runs WHERE parent_run_id IS NULL")


def child(place: Place) -> dict[str, Any]:
    return place.row("SELECT * FROM workflow_runs WHERE parent_run_id IS NOT NULL")


@pytest.fixture
def court(place: Place) -> Court:
    """A parent whose only step runs a child that is judged."""
    court = Court(place)
    court.write(a_prose_step("deep"), name="c", bodies=("deep",))
    place.write(a_child_step("call"))
    return court


def test_a_child_that_its_judge_rejects_for_good_blocks_its_parent(court: Court) -> None:
    place = court.place
    result = court.run(*[rejection()] * 3)
    assert (result.exit_status, root(place)["status"], child(place)["status"]) == (1, "blocked", "blocked")
    (call,) = [one for one in place.attempts() if one[0] == "call:solo"]
    assert call[2:] == ("failed", "child_workflow_blocked")


def test_an_abandoned_child_fails_its_parent_with_the_reason_and_both_go_on(court: Court) -> None:
    place = court.place
    court.run("no verdict")
    runs.abandon(place.db, child(place)["id"], at=AT)
    runs.resume(place.db, root(place)["id"], at=AT)
    assert court.run().exit_status == 1
    assert root(place)["status"] == "failed"
    last = [one for one in place.attempts() if one[0] == "call:solo"][-1]
    assert last[2:] == ("failed", "child_workflow_failed")
    assert runs_below.resume(place.db, root(place)["id"], now=lambda: AT) == [child(place)["id"]]
    runs.resume(place.db, root(place)["id"], at=AT)
    assert court.run('{"complete": true, "missing": []}').exit_status == 0
    assert court.worked_ids == ["deep:solo"]


def test_a_family_is_frozen_to_the_same_hash_every_time(place: Place) -> None:
    place.write(a_step("x"), name="c")
    place.write(a_child_step("one"), a_child_step("two"))
    hashes = {place.fake(lambda _one: said("x"), new=True).run["id"] for _time in range(2)}
    rows = place.rows("SELECT plan_hash FROM workflow_runs WHERE parent_run_id IS NULL")
    assert (len(hashes), len(rows), len({row["plan_hash"] for row in rows})) == (2, 2, 1)
    below = place.rows("SELECT plan_hash FROM workflow_runs WHERE parent_run_id IS NOT NULL")
    assert (len(below), len({row["plan_hash"] for row in below})) == (4, 1)
