"""A dry run tells what a run would do, and neither writes nor executes anything."""

from __future__ import annotations

import json
from typing import Any

import pytest
from builders import dump
from outcomes import said
from places import Place
from workflow_files import a_map, a_step, items, sh

from akm.engine.dry_run import dry_run
from akm.engine.runners.base import Dispatch, Outcome, failed
from akm.errors import UsageError


def shown(place: Place, target: str = "w", **more: Any) -> dict[str, Any]:
    before = dump(place.db)
    result = dry_run(place.db, place.work, target, **more)
    assert dump(place.db) == before
    return result


def work(result: dict[str, Any]) -> dict[str, Any]:
    return {step["stepId"]: step.get("work") for step in result["steps"]}


def test_a_fresh_workflow_is_told_unit_by_unit_as_far_as_it_is_known(place: Place) -> None:
    place.write(
        a_map("a", "touch", str(place.root / "made"), concurrency=2),
        a_step("b", inputs=("steps.a.output",)),
        params=items(1, 2, 3),
        budget={"max_units": 9},
    )
    result = shown(place)
    assert work(result)["a"]["dispatch"] == 3
    assert "steps.a.output" in work(result)["b"]["unknown"]
    assert result["steps"][0]["width"] == 2
    assert result["budget"] == {"maxUnits": 9}
    assert not (place.root / "made").exists()


def test_without_a_ledger_nothing_is_made(place: Place) -> None:
    place.write(a_step("a"))
    assert work(dry_run(None, place.work, "w"))["a"]["dispatch"] == 1


def test_a_run_is_told_from_its_journal(place: Place) -> None:
    place.write(a_map("a"), a_step("b"), params=items(1, 2, 3), budget={"max_units": 9})

    def act(dispatch: Dispatch) -> Outcome:
        if dispatch.item.item == 3:
            dispatch.abort.set("SIGTERM")
            return failed("aborted", "stopped")
        return said("done")

    place.fake(act, timeout_ms=60_000, max_concurrency=1)
    place.db.connection.execute("UPDATE workflow_runs SET status = 'active'")
    place.db.connection.execute("UPDATE workflow_run_steps SET status = 'pending', completed_at = NULL")
    result = shown(place)
    assert result["runId"] == place.row("SELECT id FROM workflow_runs")["id"]
    assert (work(result)["a"]["dispatch"], work(result)["a"]["reuse"]) == (1, 2)
    assert result["budget"]["spent"]["units"] == 3


def test_names_of_variables_are_told_and_never_values(place: Place) -> None:
    (place.root / "env").mkdir()
    (place.root / "env/prod.env").write_text("REGION=a-secret-place\nTOKEN=${secret:KEY}\n")
    step = a_step("a", *sh("true"), env=["env/prod"])
    step["unit"]["exec"]["pass_env"] = ["HOME_OF_TOOL"]
    place.write(step)
    result = shown(place)
    assert result["steps"][0]["variables"] == ["HOME_OF_TOOL", "KEY", "REGION", "TOKEN"]
    assert "a-secret-place" not in json.dumps(result)


def test_a_child_is_told_with_its_steps(place: Place) -> None:
    place.write(a_step("x"), a_step("y"), name="c")
    place.write({"id": "call", "unit": {"workflow": "workflows/c"}})
    assert [step["stepId"] for step in shown(place)["steps"][0]["child"]] == ["x", "y"]


def test_what_a_run_would_refuse_is_refused(place: Place) -> None:
    place.write(a_step("a"), params={"n": {"type": "integer"}})
    with pytest.raises(UsageError):
        shown(place, given=[("n", "many")])
    place.run(given=[("n", "1")])
    with pytest.raises(UsageError, match="completed"):
        shown(place, place.row("SELECT id FROM workflow_runs")["id"])
