"""A driver killed at any point around a judge: the next one asks only what was not answered."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from crashes import check_finished_work, check_reclaimed, crash, ran
from gates import judged
from places import Place

#: publish; reserve and finish the unit; reserve the judge, its rejection; reserve and finish the unit again;
#: reserve the judge, its acceptance with the step's end; reserve and finish the last unit; its step's end.
COMMITS = 12
POINTS = [(when, number) for when in ("before-commit", "after-commit") for number in range(1, COMMITS + 1)]
CONFIG = """
[defaults]
engine = "writer"
[engines.writer]
kind = "agent"
command = ["sh", "writer.sh"]
[engines.judge]
kind = "agent"
command = ["sh", "judge.sh"]
[workflow]
judge_engine = "judge"
"""
WRITER = r"""
case $(cat) in *'Be longer.'*) loop='~l2' ;; *) loop= ;; esac
echo "$AKM_UNIT_ID$loop" >> trace
echo "text$loop"
"""
JUDGE = r"""
echo "$AKM_UNIT_ID" >> trace
test ! -e deadly || { rm deadly; kill -9 "$PPID"; sleep 0.1; }
case $AKM_UNIT_ID in
*:l1) echo '{"complete": false, "missing": ["length"], "feedback": "Be longer."}' ;;
*) echo '{"complete": true, "missing": []}' ;;
esac
"""
UNITS = ["a.gate:l1", "a.gate:l2", "a:solo", "a:solo~l2", "b:solo"]


def write(place: Place) -> Path:
    """Write a step whose judge rejects its first loop, and one after it; returns the trace of what ran."""
    (place.root / ".akm").mkdir()
    (place.root / ".akm/config.toml").write_text(CONFIG)
    (place.root / "writer.sh").write_text(WRITER)
    (place.root / "judge.sh").write_text(JUDGE)
    steps = [{"id": "a", "gate": {"max_loops": 3}}, {"id": "b", "inputs": ["steps.a.output"]}]
    place.write(*steps, body=judged("a"))
    return place.root / "trace"


def check_end(place: Place) -> None:
    """One attempt of each unit and of each verdict, in whatever pieces the run was driven."""
    assert place.attempts() == [(unit_id, 1, "completed", None) for unit_id in UNITS]
    verdicts = place.rows(
        "SELECT result_json FROM workflow_run_unit_attempts WHERE phase = 'gate' ORDER BY unit_id"
    )
    assert [json.loads(row["result_json"])["complete"] for row in verdicts] == [False, True]
    assert (place.status(), place.output("a")) == ("completed", "text~l2")
    counted = Counter(row["event_type"] for row in place.rows("SELECT event_type FROM events"))
    assert counted == {
        "workflow_started": 1,
        "workflow_unit_started": 5,
        "workflow_unit_finished": 5,
        "workflow_step_completed": 2,
        "workflow_finished": 1,
    }


@pytest.mark.parametrize(("point", "number"), POINTS)
def test_the_next_invocation_goes_on_in_the_loop_in_which_the_last_one_died(
    place: Place, point: str, number: int
) -> None:
    trace = write(place)
    crash(place, point, str(number))
    before = ran(trace)
    journal = place.rows("SELECT * FROM workflow_run_unit_attempts")
    was_published = bool(place.rows("SELECT id FROM workflow_runs"))
    is_over = was_published and place.status() == "completed"

    result = place.run(place.row("SELECT id FROM workflow_runs")["id"] if is_over else "w")

    assert result.exit_status == 0
    check_finished_work(journal, before, ran(trace), units=5)
    check_reclaimed(place, journal)
    check_end(place)


def test_the_commits_are_all_that_there_are(place: Place) -> None:
    write(place)
    crash(place, "after-commit", str(COMMITS))
    assert place.status() == "completed"


def test_a_judge_that_was_being_asked_is_asked_again_under_the_same_attempt(place: Place) -> None:
    trace = write(place)
    (place.root / "deadly").touch()
    crash(place, "nowhere")
    (before,) = place.rows("SELECT * FROM workflow_run_unit_attempts WHERE phase = 'gate'")
    assert (before["status"], place.status()) == ("running", "active")
    assert place.run().exit_status == 0
    check_reclaimed(place, [before])
    check_end(place)
    assert ran(trace) == Counter(UNITS) + Counter(["a.gate:l1"])


def test_a_rejection_written_before_the_crash_is_heeded_and_not_asked_for_again(place: Place) -> None:
    trace = write(place)
    crash(place, "after-commit", "5")
    (gate,) = place.rows("SELECT * FROM workflow_run_unit_attempts WHERE phase = 'gate'")
    assert json.loads(gate["result_json"])["complete"] is False
    assert place.run().exit_status == 0
    assert ran(trace) == Counter(UNITS)


@pytest.mark.parametrize("point", ["before-commit", "after-commit"])
def test_a_passing_verdict_and_the_end_of_its_step_are_written_together_or_not_at_all(
    place: Place, point: str
) -> None:
    write(place)
    crash(place, point, "9")
    gate = place.row("SELECT status FROM workflow_run_unit_attempts WHERE unit_id = 'a.gate:l2'")
    step = place.row("SELECT status FROM workflow_run_steps WHERE step_id = 'a'")
    is_written = point == "after-commit"
    assert (gate["status"], step["status"]) == (
        ("completed", "completed") if is_written else ("running", "pending")
    )
    assert place.run().exit_status == 0
    check_end(place)
