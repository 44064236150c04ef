"""Steps that wait for a person: accepted with or without a value, sent back, given up, decided once."""

from __future__ import annotations

import json
from typing import Any

import pytest
from gates import Court, a_prose_step, judged
from places import Place
from workflow_files import a_step, sh

from akm.engine import reports
from akm.engine.gates import approvals
from akm.engine.gates.approvals import Given
from akm.errors import UsageError
from akm.services import runs

AT = "2027-01-15T08:00:00.000Z"


@pytest.fixture
def court(place: Place) -> Court:
    return Court(place)


def run_id(place: Place) -> str:
    return str(place.row("SELECT id FROM workflow_runs")["id"])


NOTHING = object()


def approve(place: Place, step: str | None = None, value: Any = NOTHING, note: str | None = None) -> Any:
    given = None if value is NOTHING else Given(value)
    return approvals.approve(place.db, run_id(place), step, by="ann", at=AT, note=note, given=given)


def reject(place: Place, note: str | None = None) -> Any:
    return approvals.reject(place.db, run_id(place), None, by="ann", at=AT, note=note)


def waiting(**gate: Any) -> dict[str, Any]:
    return {"gate": {"approve": True, **gate}}


def test_a_step_blocks_after_its_units_and_says_what_it_waits_for(place: Place) -> None:
    place.write(a_step("a", *sh("echo draft")) | waiting(), a_step("b"), body=judged("a"))
    result = place.run()
    assert result.exit_status == 1
    assert result.shown()["approvalAwaited"] == {"stepId": "a"}
    shown = reports.detail(place.db, run_id(place))["waiting"]
    assert (shown["stepId"], shown["output"], shown["criteria"]) == ("a", "draft", ["It is done well."])


def test_what_has_to_be_given_with_the_approval_is_shown_while_it_is_awaited(place: Place) -> None:
    asks = {"enum": ["stable", "beta"]}
    place.write(a_step("a") | waiting(value=asks), a_step("b"))
    place.run()
    assert reports.detail(place.db, run_id(place))["waiting"]["value"] == asks
    approve(place, value="beta")
    evidence = place.row("SELECT evidence_json FROM workflow_run_steps WHERE step_id = 'a'")["evidence_json"]
    assert "asks" not in json.loads(evidence)["approval"]


def test_approving_completes_the_step_and_records_who_when_and_what(place: Place) -> None:
    place.write(a_step("a", *sh("echo draft")) | waiting(), a_step("b"))
    place.run()
    assert approve(place, note="Good.").status == "active"
    evidence = json.loads(
        place.row("SELECT evidence_json FROM workflow_run_steps WHERE step_id = 'a'")["evidence_json"]
    )
    assert evidence["approval"] == {"by": "ann", "at": AT, "note": "Good.", "value": None}
    assert evidence["output"] == "draft"
    gate = place.row("SELECT * FROM workflow_run_unit_attempts WHERE phase = 'gate'")
    assert (gate["unit_id"], gate["runner"], gate["status"]) == ("a.gate:l1", "person", "completed")
    assert json.loads(gate["result_json"])["by"] == "ann"
    assert place.run().exit_status == 0
    assert [one[0] for one in place.attempts()] == ["a.gate:l1", "a:solo", "b:solo"]


def test_a_run_that_an_approval_completes_leaves_no_lock_file(place: Place) -> None:
    place.write(a_step("a") | waiting(), a_step("b") | waiting())
    place.run()
    approve(place)
    place.run()
    assert [file.stem for file in place.locks.glob("*.lock")] == [run_id(place)]
    approve(place)
    assert place.status() == "completed"
    assert [*place.locks.iterdir()] == []


def test_events_hold_neither_note_nor_name_nor_value(place: Place) -> None:
    place.write(a_step("a") | waiting())
    place.run()
    approve(place, note="a note", value="a value")
    events = json.dumps(place.rows("SELECT * FROM events"))
    assert "workflow_approved" in events
    assert not any(text in events for text in ("a note", "a value", "ann"))


def test_the_value_of_an_approval_is_a_reference(place: Place) -> None:
    schema = {"type": "object", "properties": {"version": {"type": "string"}}, "required": ["version"]}
    place.write(
        a_step("a") | waiting(value=schema),
        a_step("b", *sh("echo $AKM_INPUTS"), inputs=("steps.a.approval.version",)),
    )
    place.run()
    for value in (NOTHING, None, {"version": 3}, "x"):
        with pytest.raises(UsageError):
            approve(place, value=value)
    assert place.status() == "blocked"
    approve(place, value={"version": "2.0"})
    assert place.run().exit_status == 0
    assert json.loads(place.output("b")) == {"steps.a.approval.version": "2.0"}


def test_null_is_a_value_where_the_step_allows_it_and_nothing_is_none(place: Place) -> None:
    place.write(a_step("a") | waiting(value={"type": ["string", "null"]}), a_step("b"))
    place.run()
    with pytest.raises(UsageError, match="asks for a value"):
        approve(place)
    assert approve(place, value=None).status == "active"


def test_approving_the_last_step_completes_the_run(place: Place) -> None:
    place.write(a_step("a") | waiting())
    place.run()
    assert approve(place).status == "completed"
    assert len(place.rows("SELECT 1 FROM events WHERE event_type = 'workflow_finished'")) == 1
    assert place.run(run_id(place)).exit_status == 0


def test_a_rejected_step_is_done_again_with_the_note_while_loops_are_left(court: Court) -> None:
    court.write(a_prose_step(max_loops=2) | waiting(max_loops=2), bodies=())
    court.run()
    assert reject(court.place, "Shorter.").status == "active"
    court.run()
    assert court.worked[-1].item.gate_feedback == "Shorter."
    assert court.worked_ids == ["a:solo", "a:solo~l2"]
    assert reject(court.place, "Still long.").status == "failed"
    assert "Still long." in court.step()["notes"]


def test_a_failed_step_that_is_resumed_gets_fresh_loops(court: Court) -> None:
    court.write(a_prose_step() | waiting(), bodies=())
    court.run()
    reject(court.place, "No.")
    runs.resume(court.place.db, run_id(court.place), at=AT)
    court.run()
    assert court.worked_ids == ["a:solo", "a:solo~l2"]
    assert approve(court.place).status == "completed"


def test_a_rejected_command_fails_and_is_never_run_again(place: Place) -> None:
    place.write(a_step("a") | waiting(max_loops=3))
    place.run()
    assert reject(place).status == "failed"
    runs.resume(place.db, run_id(place), at=AT)
    assert place.run().exit_status == 1
    approve(place)
    assert [one[0] for one in place.attempts()] == ["a.gate:l1", "a.gate:l2", "a:solo"]


@pytest.mark.parametrize("state", ["active", "completed", "failed"])
def test_only_what_waits_can_be_decided(place: Place, state: str) -> None:
    argv = ("false",) if state == "failed" else ("true",)
    place.write(a_step("a", *argv), a_step("b"))
    place.run(max_steps=1 if state == "active" else None)
    assert place.status() == state
    for decide in (approve, reject):
        with pytest.raises(UsageError, match="does not wait"):
            decide(place)


def test_a_step_blocked_by_its_judge_waits_for_nobody(court: Court) -> None:
    court.write(a_prose_step())
    court.run("no verdict")
    with pytest.raises(UsageError, match="does not wait"):
        approve(court.place)


def test_another_step_than_the_waiting_one_is_refused(place: Place) -> None:
    place.write(a_step("a") | waiting(), a_step("b"))
    place.run()
    with pytest.raises(UsageError, match="Step b"):
        approve(place, "b")
    assert approve(place, "a").status == "active"


def test_a_run_whose_gates_people_approve_needs_no_judge(place: Place) -> None:
    place.write(a_step("a"), a_step("b"), body=judged("a"))
    assert place.run(gates="approve").exit_status == 1
    assert approve(place).status == "active"
    with pytest.raises(UsageError, match="was decided when it was started"):
        place.run(gates="approve")
    assert place.run().exit_status == 0
