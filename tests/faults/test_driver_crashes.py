"""A driver killed at any point: the next one goes on, and repeats nothing that was finished."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from crashes import check_finished_work, check_reclaimed, crash, ran
from places import Place
from workflow_files import a_map, a_step, items, sh

from akm.engine import reports
from akm.services import runs

#: publish; reserve, two swaps and a finish of three units; step; reserve, finish, step.
COMMITS = 9
POINTS = [
    *[(when, number) for when in ("before-commit", "after-commit") for number in range(1, COMMITS + 1)],
    *[(point, 0) for point in ("in-lock", "before-dispatch", "after-dispatch")],
]


def write(place: Place) -> Path:
    """Write a workflow whose units leave a line each time they run."""
    trace = place.root / "trace"
    place.write(
        a_map("a", *sh('echo "$AKM_UNIT_ID" >> trace; echo "$AKM_ITEM"'), concurrency=1),
        a_step("b", *sh('echo "$AKM_UNIT_ID" >> trace; echo "$AKM_INPUTS"'), inputs=("steps.a.output",)),
        params=items(1, 2, 3),
    )
    return trace


@pytest.mark.parametrize(("point", "number"), POINTS)
def test_the_next_invocation_goes_on_and_repeats_nothing_finished(
    place: Place, point: str, number: int
) -> None:
    trace = write(place)
    crash(place, point, str(number))
    ran_before = ran(trace)
    journal = place.rows("SELECT * FROM workflow_run_unit_attempts")
    was_published = bool(place.rows("SELECT id FROM workflow_runs"))
    assert was_published == ((point, number) != ("before-commit", 1))
    is_over = was_published and place.status() == "completed"

    result = place.run(place.row("SELECT id FROM workflow_runs")["id"] if is_over else "w")

    assert result.exit_status == 0
    assert result.is_resumed == was_published
    assert place.output("b") == '{"steps.a.output":["1","2","3"]}'
    check_finished_work(journal, ran_before, ran(trace))
    check_reclaimed(place, journal)
    check_ledger(place)


def check_ledger(place: Place) -> None:
    assert [row[1:] for row in place.attempts()] == [(1, "completed", None)] * 4
    counted = Counter(row["event_type"] for row in place.rows("SELECT event_type FROM events"))
    assert counted == {
        "workflow_started": 1,
        "workflow_unit_started": 4,
        "workflow_unit_finished": 4,
        "workflow_step_completed": 2,
        "workflow_finished": 1,
    }
    assert place.rows("PRAGMA integrity_check") == [{"integrity_check": "ok"}]
    assert place.rows("PRAGMA foreign_key_check") == []


def test_a_crash_during_a_unit_hands_the_same_attempt_out_again_and_status_shows_it(place: Place) -> None:
    place.write(a_step("a", *sh('echo "$$" >> trace; test -e again || { touch again; kill -9 "$PPID"; }')))
    crash(place, "nowhere")
    before = place.row("SELECT * FROM workflow_run_unit_attempts")
    shown = reports.detail(place.db, before["run_id"], with_units=True, with_attempts=True)
    assert shown["run"]["interrupted"] is True
    assert [row["interrupted"] for row in (*shown["units"], *shown["attempts"])] == [True, True]
    assert place.run().exit_status == 0
    after = place.row("SELECT * FROM workflow_run_unit_attempts")
    assert (after["attempt"], after["dispatch_id"]) == (before["attempt"], before["dispatch_id"])
    assert (before["status"], after["status"]) == ("running", "completed")
    started = place.rows("SELECT * FROM events WHERE event_type = 'workflow_unit_started'")
    assert [json.loads(row["metadata_json"])["dispatchId"] for row in started] == [before["dispatch_id"]]


def test_a_crash_between_retries_keeps_the_count(place: Place) -> None:
    script = (
        "n=$(cat count 2>/dev/null || echo 0); n=$((n+1)); echo $n > count; "
        'test $n -eq 3 && kill -9 "$PPID"; test $n -ge 4'
    )
    place.write(a_step("a", *sh(script), retry={"max": 3, "on": ["non_zero_exit"]}))
    crash(place, "nowhere")
    assert [row[1:3] for row in place.attempts()] == [(1, "failed"), (2, "failed"), (3, "running")]
    assert place.run().exit_status == 0
    assert [row[1:3] for row in place.attempts()] == [(1, "failed"), (2, "failed"), (3, "completed")]


def test_a_budget_survives_a_crash(place: Place) -> None:
    # All others wait for the crash, so that none ends before it.
    script = (
        'test "$AKM_ITEM" != 0 || ! mkdir once || { kill -9 "$PPID"; touch again; }; '
        "while ! test -e again; do sleep 0.01; done"
    )
    place.write(
        a_map("a", *sh(script), concurrency=4, on_error="continue"),
        params=items(*range(20)),
        budget={"max_units": 5},
    )
    crash(place, "nowhere")
    assert [row[2] for row in place.attempts()] == ["running"] * 4
    result = place.run()
    assert (result.exit_status, result.run["status"]) == (1, "failed")
    assert "budget of 5 units" in result.executed[-1].summary
    runs.resume(place.db, result.run["id"], at="2027-01-01T00:00:00.000Z")
    place.run(result.run["id"])
    # Four were handed out again; whether a fifth starts depends on how many ended together.
    assert 4 <= len(place.attempts()) <= 5


def test_units_side_by_side_a_crash_and_resumes_never_overrun_the_budget(place: Place) -> None:
    place.write(
        a_map("a", *sh('test "$AKM_ITEM" != 1'), concurrency=4, on_error="continue"),
        params=items(*range(20)),
        budget={"max_units": 5},
    )
    crash(place, "after-three")
    assert 4 <= len(place.attempts()) <= 5
    run_id = place.row("SELECT id FROM workflow_runs")["id"]
    for _again in range(3):
        result = place.run(run_id, max_retries=2)
        assert (result.exit_status, result.run["status"]) == (1, "failed")
        assert "budget of 5 units is used up" in result.executed[-1].summary
        assert len(place.attempts()) <= 5
        runs.resume(place.db, run_id, at="2027-01-01T00:00:00.000Z")
