"""Reading a stored plan back: other versions run with a warning, and what cannot be read is not driven."""

from __future__ import annotations

import json

import pytest
from builders import AT
from outcomes import done
from places import Place
from workflow_files import a_step

from akm.engine import reopening, reports
from akm.errors import UsageError


def parked(place: Place, **plan: object) -> str:
    """Start a run of two steps, stop it after the first, and change what is stored of its plan."""
    place.write(a_step("a"), a_step("b"))
    run_id = str(place.fake(done, max_steps=1).run["id"])
    for column, value in plan.items():
        place.db.connection.execute(f"UPDATE workflow_runs SET {column} = ?", (value,))
    place.dispatched.clear()
    return run_id


def test_unknown_keys_are_no_reason_to_stop(place: Place) -> None:
    run_id = parked(place)
    plan = json.loads(place.row("SELECT plan_json FROM workflow_runs")["plan_json"])
    plan["novelty"] = plan["steps"][1]["novelty"] = {"x": 1}
    place.db.connection.execute("UPDATE workflow_runs SET plan_json = ?", (json.dumps(plan),))
    assert place.fake(done, target=run_id).run["status"] == "completed"


@pytest.mark.parametrize("version", [5, 99])
def test_a_plan_of_another_version_runs_with_one_warning(place: Place, version: int) -> None:
    run_id = parked(place, plan_ir_version=version)
    result = place.fake(done, target=run_id)
    assert result.run["status"] == "completed"
    assert [f"format {version}" in text for text in result.warnings] == [True]


@pytest.mark.parametrize("text", ["garbage", "{}", None, '{"steps": []}'])
def test_a_plan_that_cannot_be_read_ends_its_run(place: Place, text: str | None) -> None:
    run_id = parked(place, plan_json=text)
    result = place.fake(done, target=run_id)
    assert (result.exit_status, result.run["status"], result.executed) == (1, "failed", [])
    assert "abandoned" in result.warnings[0]
    assert "akm workflow run --new project//workflows/w" in result.warnings[0]
    assert result.way_out == ["akm workflow run --new project//workflows/w"]
    assert place.dispatched == []
    with pytest.raises(UsageError, match="was left as it is") as refused:
        reopening.reopen(place.db, run_id, at=AT)
    assert "akm workflow run --new project//workflows/w" in str(refused.value.hint)
    assert place.status() == "failed"


def test_an_unreadable_plan_of_a_newer_version_is_left_to_the_newer_akm(place: Place) -> None:
    run_id = parked(place, plan_json="garbage", plan_ir_version=99)
    with pytest.raises(UsageError, match="newer") as refused:
        place.fake(done, target=run_id)
    assert "Upgrade akm" in str(refused.value.hint)
    assert place.status() == "active"


def test_status_names_the_damaged_plan_of_a_completed_run(place: Place) -> None:
    place.write(a_step("a"))
    run_id = place.fake(done).run["id"]
    place.db.connection.execute("UPDATE workflow_runs SET plan_json = '{'")
    shown = reports.detail(place.db, run_id)
    assert shown["warnings"] == [f"plan_json of run {run_id} is missing or damaged."]
    assert place.fake(done, target=run_id).executed == []
