"""Workflows that run workflows: bound, driven, mapped back, blocked and recovered, abandoned together."""

from __future__ import annotations

import json
from typing import Any

import pytest
from gates import CONFIG, PASS, Court, a_prose_step
from outcomes import said
from places import Place
from workflow_files import a_step, sh

from akm.engine import driver, reports, runs_below
from akm.engine.lock import RunLock
from akm.engine.runners.base import Dispatch, failed
from akm.errors import AkmError, UsageError
from akm.services import runs

AT = "2027-01-15T08:00:00.000Z"


def a_child_step(step_id: str, ref: str = "workflows/c", **bindings: Any) -> dict[str, Any]:
    """Describe a step that runs another workflow."""
    return {"id": step_id, "unit": {"workflow": ref} | ({"with": bindings} if bindings else {})}


def echo(place: Place, name: str = "c") -> None:
    """Write a child that prints its parameters."""
    place.write(a_step("say", *sh("echo $AKM_PARAMS")), name=name, params={"word": {"type": "string"}})


def children(place: Place) -> list[dict[str, Any]]:
    return place.rows("SELECT * FROM workflow_runs WHERE parent_run_id IS NOT NULL ORDER BY created_at, id")


def root(place: Place) -> dict[str, Any]:
    return place.row("SELECT * FROM workflow_runs WHERE parent_run_id IS NULL")


def test_a_child_gets_its_parameters_and_gives_its_last_output(place: Place) -> None:
    echo(place)
    first = a_step("first", *sh("echo hello"))
    last = a_step("end", *sh("echo $AKM_INPUTS"), inputs=("steps.call.output",))
    place.write(first, a_child_step("call", word={"from": "steps.first.output"}), last)
    assert place.run().exit_status == 0
    (child,) = children(place)
    assert json.loads(child["params_json"]) == {"word": "hello"}
    assert (child["status"], child["workflow_ref"]) == ("completed", "project//workflows/c")
    assert (child["parent_unit_id"], child["scope_key"]) == ("call:solo", root(place)["scope_key"])
    (call,) = [one for one in place.attempts() if one[0] == "call:solo"]
    assert call == ("call:solo", 1, "completed", None)
    end = place.row("SELECT evidence_json FROM workflow_run_steps WHERE step_id = 'end'")
    assert "hello" in end["evidence_json"]


def test_the_childs_plan_is_frozen_with_the_parents(place: Place) -> None:
    echo(place)
    place.write(a_step("first"), a_child_step("call", word="x"))
    place.run(max_steps=1)
    (place.root / "workflows/c.md").unlink()
    assert place.run().exit_status == 0
    assert children(place)[0]["status"] == "completed"


def test_defaults_are_bound_and_status_shows_the_tree(place: Place) -> None:
    place.write(a_step("say"), name="c", params={"word": {"type": "string", "default": "d"}})
    place.write(a_child_step("call"))
    place.run()
    assert json.loads(children(place)[0]["params_json"]) == {"word": "d"}
    (shown,) = reports.detail(place.db, root(place)["id"])["children"]
    assert (shown["stepId"], shown["status"]) == ("call", "completed")


@pytest.mark.parametrize(
    ("bindings", "word"),
    [({"wrod": "x"}, "wrod"), ({"word": 3}, "word"), ({"word": {"from": "steps.later.output"}}, "later")],
)
def test_bindings_that_do_not_fit_are_refused_before_anything_is_written(
    place: Place, bindings: dict[str, Any], word: str
) -> None:
    echo(place)
    place.write(a_child_step("call", **bindings), a_step("later"))
    with pytest.raises(AkmError) as refused:
        place.run()
    assert refused.value.exit_status == 2
    assert word in refused.value.message + str(getattr(refused.value, "findings", ""))
    assert place.rows("SELECT id FROM workflow_runs") == []


def test_a_circle_is_refused_with_its_path_and_a_diamond_is_fine(place: Place) -> None:
    place.write(a_child_step("x", "workflows/b"), name="a")
    place.write(a_child_step("x", "workflows/a"), name="b")
    with pytest.raises(UsageError) as refused:
        place.run("a")
    assert refused.value.code == "COMPOSITION_INVALID"
    way = "project//workflows/a -> project//workflows/b -> project//workflows/a"
    assert way in refused.value.message
    place.write(a_step("leaf"), name="d")
    place.write(a_child_step("x", "workflows/d"), name="b")
    place.write(a_child_step("x", "workflows/d"), name="c")
    place.write(a_child_step("one", "workflows/b"), a_child_step("two", "workflows/c"), name="a")
    assert place.run("a").exit_status == 0
    assert len(children(place)) == 4


def test_a_failed_child_fails_its_parent_and_the_parent_goes_on_after_both_are_resumed(place: Place) -> None:
    place.write(a_step("x", *sh(f"test -e {place.root}/ok")), name="c")
    place.write(a_child_step("call"))
    assert place.run().exit_status == 1
    assert (root(place)["status"], children(place)[0]["status"]) == ("failed", "failed")
    assert place.attempts()[0][3] == "child_workflow_failed"
    (place.root / "ok").touch()
    runs.resume(place.db, root(place)["id"], at=AT)
    # A child that is still failed is not driven by itself.
    assert place.run(root(place)["id"]).exit_status == 1
    assert runs_below.resume(place.db, root(place)["id"], now=lambda: AT) == [children(place)[0]["id"]]
    runs.resume(place.db, root(place)["id"], at=AT)
    assert place.run(root(place)["id"]).exit_status == 0
    assert len(children(place)) == 1


def three_levels(place: Place) -> Court:
    """Write root -> middle -> leaf, where the leaf is judged."""
    court = Court(place)
    court.write(a_prose_step("deep"), name="leaf", bodies=("deep",))
    place.write(a_child_step("down", "workflows/leaf"), name="middle")
    place.write(a_child_step("down", "workflows/middle"), a_step("end"))
    return court


def statuses(place: Place) -> dict[str, str]:
    rows = place.rows("SELECT workflow_title, status FROM workflow_runs")
    return {row["workflow_title"]: row["status"] for row in rows}


def test_three_levels_block_and_recover_from_the_deepest(place: Place) -> None:
    court = three_levels(place)
    result = court.run(failed("spawn_failed", "the judge is down"))
    assert result.exit_status == 1
    assert set(statuses(place).values()) == {"blocked"}
    leaf = next(one for one in children(place) if one["workflow_title"] == "leaf")
    shown = result.shown()["childBlocked"]
    middle = next(one for one in children(place) if one["workflow_title"] == "middle")
    assert (shown["stepId"], shown["childRunId"]) == ("down", middle["id"])
    assert (
        middle["id"]
        in place.row(
            "SELECT notes FROM workflow_run_steps WHERE run_id = ? AND notes IS NOT NULL", root(place)["id"]
        )["notes"]
    )
    # Without the children's being resumed, driving the root changes nothing below.
    runs.resume(place.db, root(place)["id"], at=AT)
    assert court.run().exit_status == 1
    assert runs_below.resume(place.db, root(place)["id"], now=lambda: AT) == [leaf["id"], middle["id"]]
    runs.resume(place.db, root(place)["id"], at=AT)
    assert court.run(PASS).exit_status == 0
    assert set(statuses(place).values()) == {"completed"}
    assert court.worked_ids.count("deep:solo") == 1


def test_a_child_that_somebody_drives_is_busy(place: Place) -> None:
    echo(place)
    place.write(a_child_step("call", word="x"))

    def act(_dispatch: Dispatch) -> Any:
        return said("x")

    from akm.engine import child

    keys: list[str] = []
    original = child.invocation_key

    def locked(*args: str) -> str:
        keys.append(original(*args))
        return keys[-1]

    held: list[RunLock] = []

    def publish(db: Any, new: Any, spine: Any) -> Any:
        row = runs.publish_child(db, new, spine)
        held.append(RunLock(place.locks, row.id))
        held[0].acquire(at=AT)
        return row

    module: Any = child
    before, module.runs = module.runs, type("runs", (), {"publish_child": staticmethod(publish)})
    try:
        assert place.fake(act).exit_status == 1
    finally:
        module.runs = before
        held[0].release()
    assert place.attempts()[0][3] == "child_workflow_busy"


def test_abandoning_a_parent_abandons_its_children_with_it(place: Place) -> None:
    court = three_levels(place)
    court.run(failed("spawn_failed", "the judge is down"))
    gone = runs.abandon(place.db, root(place)["id"], at=AT)
    assert set(gone) == {one["id"] for one in children(place)}
    assert set(statuses(place).values()) == {"failed"}
    assert len(place.rows("SELECT 1 FROM events WHERE event_type = 'workflow_abandoned'")) == 3


def test_an_interrupt_stops_child_and_parent_and_the_next_run_goes_on(place: Place) -> None:
    import os
    import signal

    three_levels(place)

    def interrupted(dispatch: Dispatch) -> Any:
        os.kill(os.getpid(), signal.SIGINT)
        dispatch.abort.wait(10)
        return failed("aborted", "stopped")

    assert place.fake(interrupted).exit_status == 130
    assert set(statuses(place).values()) == {"active"}
    court = Court(place)
    assert court.run(PASS).exit_status == 0
    assert [one["status"] for one in children(place)] == ["completed", "completed"]


def test_a_child_has_its_own_budget_and_costs_its_parent_one_unit(place: Place) -> None:
    place.write(a_step("x"), a_step("y"), name="c", budget={"max_units": 2})
    place.write(a_child_step("call"), a_step("end"), budget={"max_units": 2})
    assert place.run().exit_status == 0


def test_the_same_work_has_the_same_child_and_other_work_another() -> None:
    from akm.engine.child import invocation_key

    assert invocation_key("r", "u", "h") == invocation_key("r", "u", "h")
    assert (
        len({invocation_key("r", "u", "h"), invocation_key("r", "u", "i"), invocation_key("q", "u", "h")})
        == 3
    )


def test_lists_hide_children_unless_asked(place: Place) -> None:
    from akm.views.runs import Filters, listing

    echo(place)
    place.write(a_child_step("call", word="x"))
    place.run()
    assert len(listing(place.db, Filters(None, all_scopes=True))) == 1
    assert len(listing(place.db, Filters(None, all_scopes=True, children=True))) == 2


def test_the_engines_of_a_child_are_those_of_the_place(place: Place) -> None:
    (place.root / ".akm").mkdir()
    (place.root / ".akm/config.toml").write_text(CONFIG)
    place.write(a_prose_step("think"), name="c")
    place.write(a_child_step("call"))
    assert place.fake(lambda _dispatch: said("thought")).exit_status == 0
    assert driver.Options().gates == "judge"
