"""A judged step: passed, rejected, rejected for good, unjudged, stopped, and taken up again."""

from __future__ import annotations

import json
import os
import signal
from typing import Any

import pytest
from gates import PASS, Court, a_prose_step, a_step, rejection
from outcomes import said
from places import Place

from akm.engine.runners.base import Dispatch, Outcome, failed
from akm.errors import UsageError
from akm.services import runs
from akm.store.opening import open_database


@pytest.fixture
def court(place: Place) -> Court:
    return Court(place)


def resume(court: Court) -> None:
    (run,) = court.place.rows("SELECT id FROM workflow_runs")
    runs.resume(court.place.db, run["id"], at="2027-01-15T08:00:00.000Z")


def test_a_passing_verdict_completes_the_step(court: Court) -> None:
    court.write(a_prose_step())
    assert court.run(PASS).exit_status == 0
    assert court.gates() == [("a.gate:l1", 1, "completed", {"complete": True, "missing": []})]
    assert court.step()["status"] == "completed"


def test_the_judge_sees_the_rubric_and_the_artifact(court: Court) -> None:
    court.write(a_prose_step())
    court.run(PASS)
    (asked,) = court.asked
    assert asked.prompt is not None
    assert "1. It is done well." in asked.prompt.user
    assert '"work a:solo"' in asked.prompt.user
    assert asked.item.node.id == "a.gate"


def test_a_long_artifact_is_cut_for_the_judge_and_the_cut_is_said(court: Court) -> None:
    court.write(a_prose_step())
    court.work = lambda _dispatch: said("x" * 10_000)
    court.run(PASS)
    assert court.asked[0].prompt is not None
    assert "the first 4000 of 10002 characters" in court.asked[0].prompt.user
    assert len(court.asked[0].prompt.user) < 5000


def test_a_rejection_executes_the_step_again_with_the_feedback(court: Court) -> None:
    court.write(a_prose_step(max_loops=2))
    result = court.run(rejection("Longer.", "length"), PASS)
    assert result.exit_status == 0
    assert court.worked_ids == ["a:solo", "a:solo~l2"]
    assert court.worked[1].item.gate_feedback == "Longer.\nNot met:\n- length"
    assert court.worked[1].item.unit_id == "a:solo"
    assert [one.ending for one in result.executed] == ["rejected", "advanced"]
    assert result.steps_processed == 1


def test_rejected_in_the_last_loop_blocks_with_the_verdict(court: Court) -> None:
    court.write(a_prose_step(max_loops=2))
    result = court.run(rejection("Longer."), rejection("Still too short.", "length"))
    assert result.exit_status == 1
    assert court.place.status() == "blocked"
    assert "Still too short." in court.step()["notes"]
    assert court.step()["evidence_json"] is not None
    shown = result.shown()["gateRejection"]
    assert shown == {"stepId": "a", "missing": ["length"], "feedback": "Still too short."}


def test_resuming_a_rejected_step_grants_fresh_loops_and_keeps_the_count(court: Court) -> None:
    court.write(a_prose_step(max_loops=2))
    court.run(rejection("One."), rejection("Two."))
    resume(court)
    assert court.run(rejection("Three."), PASS).exit_status == 0
    assert court.worked_ids == ["a:solo", "a:solo~l2", "a:solo~l3", "a:solo~l4"]
    assert court.worked[2].item.gate_feedback == "Two."
    assert [gate[0] for gate in court.gates()] == [f"a.gate:l{loop}" for loop in (1, 2, 3, 4)]


def test_a_command_is_judged_once_and_never_run_again(court: Court) -> None:
    court.write(a_step("a") | {"gate": {"max_loops": 3}})
    assert court.run(rejection()).exit_status == 1
    assert court.place.status() == "blocked"
    resume(court)
    assert court.run(PASS).exit_status == 0
    assert court.worked_ids == ["a:solo"]
    assert [gate[0] for gate in court.gates()] == ["a.gate:l1", "a.gate:l2"]


NO_VERDICTS = [
    failed("spawn_failed", "there is no judge here"),
    said("It looks good to me."),
    said('{"complete": "yes"}'),
    said('{"complete": tr'),
    said('{"missing": []}'),
    said("[true]"),
    said(""),
    said("x" * 10_000_000),
    said('{"complete": true, "feedback": "\\ud800"}'),
]


@pytest.mark.parametrize("answer", NO_VERDICTS, ids=range(len(NO_VERDICTS)))
def test_no_verdict_blocks_costs_no_loop_and_only_the_judge_is_asked_again(
    court: Court, answer: Outcome
) -> None:
    court.write(a_prose_step(max_loops=2))
    result = court.run(answer)
    assert result.exit_status == 1
    assert court.place.status() == "blocked"
    assert result.shown()["judgeFailure"]["stepId"] == "a"
    assert len(court.step()["notes"]) < 2000
    assert court.gates() == [("a.gate:l1", 1, "failed", None)]
    resume(court)
    assert court.run(rejection(), PASS).exit_status == 0
    assert court.worked_ids == ["a:solo", "a:solo~l2"]
    assert [gate[:3] for gate in court.gates()] == [
        ("a.gate:l1", 1, "failed"),
        ("a.gate:l1", 2, "completed"),
        ("a.gate:l2", 1, "completed"),
    ]


def test_a_judge_that_raises_blocks_like_one_that_is_down(court: Court) -> None:
    court.write(a_prose_step())

    def raising(dispatch: Dispatch) -> Outcome:
        if dispatch.prompt is not None:
            raise RuntimeError("a fault of the judge's own")
        return said("work")

    result = court.place.fake(raising)
    assert (result.exit_status, court.place.status()) == (1, "blocked")
    assert court.gates() == [("a.gate:l1", 1, "failed", None)]
    resume(court)
    assert court.run(PASS).exit_status == 0
    assert court.worked == []


def test_a_blocked_run_is_not_driven_until_it_is_resumed(court: Court) -> None:
    court.write(a_prose_step())
    court.run(rejection())
    run_id = court.place.row("SELECT id FROM workflow_runs")["id"]
    with pytest.raises(UsageError, match="blocked") as refused:
        court.run(PASS, target=run_id)
    assert f"akm workflow resume {run_id}" in f"{refused.value.message} {refused.value.hint}"
    assert (court.worked_ids, len(court.asked)) == (["a:solo"], 1)


def test_a_stored_plan_without_a_judge_blocks_after_its_units_and_never_passes(court: Court) -> None:
    court.write(a_step("first"), a_prose_step())
    court.run(max_steps=1)
    stored = court.place.row("SELECT plan_json FROM workflow_runs")["plan_json"]
    plan = json.loads(stored)
    plan["steps"][1]["gate"]["frozenJudge"] = None
    court.place.db.connection.execute("UPDATE workflow_runs SET plan_json = ?", (json.dumps(plan),))
    for _again in range(2):
        result = court.run()
        assert (result.exit_status, court.place.status()) == (1, "blocked")
        assert "nobody can judge it" in result.shown()["judgeFailure"]["message"]
        resume(court)
    assert court.worked_ids == ["first:solo", "a:solo"]
    assert court.gates() == []


def test_a_verdict_amid_prose_counts(court: Court) -> None:
    court.write(a_prose_step())
    assert court.run(f"My verdict:\n```json\n{PASS}\n```\n").exit_status == 0


def test_a_verdict_of_many_megabytes_is_kept_short(court: Court) -> None:
    court.write(a_prose_step())
    court.run(rejection("f" * 1_000_000, *["m" * 100_000] * 100))
    (gate,) = court.gates()
    assert len(gate[3]["feedback"]) < 10_000
    assert len(gate[3]["missing"]) == 50


def test_artifact_misses_use_the_loops_and_leave_no_gate_row(court: Court) -> None:
    court.write(a_prose_step(max_loops=2, output={"type": "string", "maxLength": 4}))
    answers = ["far too long", "ok"]
    court.work = lambda _dispatch: said(answers.pop(0))
    assert court.run(PASS).exit_status == 0
    assert "schema" in (court.worked[1].item.gate_feedback or "")
    assert [gate[0] for gate in court.gates()] == ["a.gate:l2"]


def test_an_artifact_that_misses_in_every_loop_fails_and_resume_goes_on_with_feedback(court: Court) -> None:
    court.write(a_prose_step(max_loops=2, output={"type": "string", "maxLength": 4}))
    answers = ["far too long", "too long", "ok"]
    court.work = lambda _dispatch: said(answers.pop(0))
    assert court.run().exit_status == 1
    assert court.place.status() == "failed"
    resume(court)
    assert court.run(PASS).exit_status == 0
    assert court.worked_ids == ["a:solo", "a:solo~l2", "a:solo~l3"]


def test_an_artifact_of_a_command_that_misses_fails_at_once(court: Court) -> None:
    court.write(a_step("a") | {"gate": {"max_loops": 3}, "output": {"type": "integer"}})
    assert court.run().exit_status == 1
    assert (court.worked_ids, court.place.status()) == (["a:solo"], "failed")
    resume(court)
    assert court.run().exit_status == 1
    assert court.worked_ids == ["a:solo"]


@pytest.mark.parametrize("text", ["{", "[]", '{"complete": "no"}', '"x"'])
def test_a_damaged_verdict_is_said_and_nothing_is_paid_again(court: Court, text: str) -> None:
    court.write(a_prose_step(max_loops=2))
    court.run(rejection(), rejection())
    resume(court)
    court.place.db.connection.execute(
        "UPDATE workflow_run_units SET result_json = ? WHERE unit_id = 'a.gate:l1'", (text,)
    )
    before = len(court.worked)
    with pytest.raises(UsageError, match=r"a\.gate:l1"):
        court.run()
    assert len(court.worked) == before
    assert court.place.status() == "active"


def test_an_interrupt_while_the_judge_thinks_leaves_the_step_pending(court: Court) -> None:
    court.write(a_prose_step())

    def interrupted(dispatch: Dispatch) -> Outcome:
        if dispatch.prompt is None:
            return said("work")
        os.kill(os.getpid(), signal.SIGINT)
        dispatch.abort.wait(10)
        return failed("aborted", "stopped")

    result = court.place.fake(interrupted)
    assert result.exit_status == 130
    assert court.step()["status"] == "pending"
    assert court.gates() == [("a.gate:l1", 1, "failed", None)]
    assert court.run(PASS).exit_status == 0
    assert court.worked == []


def test_a_run_abandoned_while_the_judge_thinks_stays_abandoned(court: Court) -> None:
    court.write(a_prose_step(max_loops=2))

    def act(dispatch: Dispatch) -> Outcome:
        if dispatch.prompt is not None:
            court.verdicts.append(dispatch.run_id)
        return said(rejection() if dispatch.prompt else "work")

    def advance(*_args: Any) -> str:
        return "2027-01-15T08:00:00.000Z"

    def abandoning(dispatch: Dispatch) -> Outcome:
        outcome = act(dispatch)
        if dispatch.prompt is not None:
            with open_database(court.place.db.path) as other:
                runs.abandon(other, dispatch.run_id, at=advance())
        return outcome

    result = court.place.fake(abandoning)
    assert result.run["status"] == "failed"
    assert court.step()["status"] == "pending"
    assert court.gates()[0][2] == "completed"


@pytest.mark.parametrize(
    ("answer", "status"), [(PASS, "completed"), (rejection(), "completed"), ("?", "failed")]
)
def test_so_does_one_whose_step_the_verdict_would_have_ended_and_the_verdict_is_kept(
    court: Court, answer: str, status: str
) -> None:
    court.write(a_prose_step())

    def act(dispatch: Dispatch) -> Outcome:
        if dispatch.prompt is None:
            return said("work")
        with open_database(court.place.db.path) as other:
            runs.abandon(other, dispatch.run_id, at="2027-01-15T08:00:00.000Z")
        return said(answer)

    result = court.place.fake(act)
    assert (result.exit_status, result.run["status"]) == (1, "failed")
    assert [(one.ending, one.summary) for one in result.executed] == [
        ("stopped", "Stopped (the run was ended elsewhere).")
    ]
    assert court.step()["status"] == "pending"
    assert court.gates()[0][2] == status
