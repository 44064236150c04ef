"""The drive loop: what a run comes to, what an invocation repeats and what it leaves alone."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

import pytest
from builders import event_types
from outcomes import broken, done, said
from places import Place
from workflow_files import a_map, a_step, items, sh

from akm import scope
from akm.engine.lock import lock_path
from akm.engine.runners.base import Dispatch, Outcome
from akm.errors import AkmError, UsageError
from akm.services import runs
from akm.store.opening import open_database


def test_a_run_goes_from_its_first_step_to_its_last(place: Place) -> None:
    place.write(a_step("a", "echo", "1"), a_step("b", *sh("echo $AKM_INPUTS"), inputs=("steps.a.output",)))
    result = place.run()
    assert (result.exit_status, result.run["status"], result.steps_processed) == (0, "completed", 2)
    assert place.output("b") == '{"steps.a.output":"1"}'
    assert event_types(place.db) == [
        "workflow_started",
        *("workflow_unit_started", "workflow_unit_finished", "workflow_step_completed") * 2,
        "workflow_finished",
    ]
    assert place.lock_files() == []


def test_a_completed_run_is_not_driven_again_and_its_lock_not_taken(place: Place) -> None:
    place.write(a_step("a"))
    run_id = place.run().run["id"]
    again = place.run(run_id)
    assert again.exit_status == 0
    assert again.shown()["done"] is True
    assert again.executed == []
    assert place.lock_files() == []


def test_a_failed_run_is_refused_with_the_way_to_reopen_it(place: Place) -> None:
    place.write(a_step("a", "false"))
    run_id = place.run().run["id"]
    with pytest.raises(UsageError, match="is failed at step a") as refused:
        place.run(run_id)
    assert f"akm workflow resume {run_id}" in str(refused.value.hint)
    assert len(place.attempts()) == 1


def test_max_steps_stops_between_steps_and_the_next_invocation_goes_on(place: Place) -> None:
    place.write(a_step("a"), a_step("b"), a_step("c"))
    first = place.run(max_steps=2)
    assert (first.exit_status, first.run["status"], first.run["currentStepId"]) == (0, "active", "c")
    second = place.run()
    assert second.is_resumed
    assert (second.run["id"], second.run["status"], second.steps_processed) == (
        first.run["id"],
        "completed",
        1,
    )


def test_max_retries_resumes_a_failed_run_by_itself(place: Place) -> None:
    place.write(a_step("a"))
    endings = [broken(), broken(), said("now")]
    result = place.fake(lambda _dispatch: endings.pop(0), max_retries=5)
    assert (result.exit_status, result.run["status"]) == (0, "completed")
    assert [one.ending for one in result.executed] == ["failed", "failed", "advanced"]
    assert [row[1:3] for row in place.attempts()] == [(1, "failed"), (2, "failed"), (3, "completed")]


def test_max_retries_is_a_ceiling(place: Place) -> None:
    place.write(a_step("a"))
    result = place.fake(lambda _dispatch: broken(), max_retries=2)
    assert (result.exit_status, len(place.attempts())) == (1, 3)


def test_timeout_stops_the_invocation_and_leaves_the_step_pending(place: Place) -> None:
    place.write(a_step("a", "sleep", "60"))
    result = place.run(timeout_ms=1)
    assert result.exit_status == 1
    assert result.shown()["timedOut"] is True
    assert result.run["status"] == "active"
    assert place.row("SELECT status FROM workflow_run_steps")["status"] == "pending"
    assert all(row[2:] == ("failed", "aborted") for row in place.attempts())


def test_a_completed_unit_is_reused_and_a_failed_one_is_the_next_attempt(place: Place) -> None:
    place.write(a_map("a"), params=items(1, 2, 3))
    place.fake(lambda one: broken() if one.item.item == 2 else said(f"r{one.item.item}"))
    runs.resume(place.db, place.row("SELECT id FROM workflow_runs")["id"], at="2027-01-01T00:00:00.000Z")
    place.dispatched.clear()
    place.fake(lambda _one: said("again"), target=place.row("SELECT id FROM workflow_runs")["id"])
    assert [(one.item.item, one.attempt) for one in place.dispatched] == [(2, 2)]
    assert place.output("a") == ["r1", "again", "r3"]


def test_a_reused_unit_whose_input_has_changed_is_named(place: Place) -> None:
    place.write(a_step("a"), a_step("b"))
    place.fake(lambda one: said("x") if one.item.step_id == "a" else broken())
    run_id = place.row("SELECT id FROM workflow_runs")["id"]
    runs.resume(place.db, run_id, at="2027-01-01T00:00:00.000Z")
    place.db.connection.execute(
        "UPDATE workflow_run_units SET status = 'completed', input_hash = 'other' WHERE step_id = 'b'"
    )
    result = place.fake(done, target=run_id)
    assert result.executed[0].notices == ["b:solo is reused although its input has changed since it ran."]
    assert result.shown()["executed"][0]["notices"] == result.executed[0].notices


def test_a_run_abandoned_while_it_is_driven_starts_no_further_unit_and_keeps_the_one_under_way(
    place: Place,
) -> None:
    place.write(a_map("a", concurrency=1), params=items(1, 2, 3))

    def abandon_meanwhile(dispatch: Dispatch) -> Outcome:
        with open_database(place.db.path) as other:
            runs.abandon(other, dispatch.run_id, at="2027-01-01T00:00:00.000Z")
        return said("kept")

    result = place.fake(abandon_meanwhile, max_retries=3)
    assert (result.exit_status, result.run["status"]) == (1, "failed")
    assert "ended elsewhere" in result.executed[0].summary
    assert [row[1:] for row in place.attempts()] == [(1, "completed", None)]
    assert place.row("SELECT result_json FROM workflow_run_units")["result_json"] == '"kept"'
    assert place.row("SELECT status FROM workflow_run_steps")["status"] == "pending"
    assert len(place.lock_files()) == 1, "only the lock file of the parked run stays"


def test_the_lock_is_released_when_the_plan_cannot_be_loaded(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.write(a_step("a"))

    def explode(*_arguments: Any, **_named: Any) -> None:
        raise AkmError("no plan today")

    with monkeypatch.context() as patch:
        patch.setattr("akm.engine.plans.read", explode)
        with pytest.raises(AkmError, match="no plan today"):
            place.run()
    assert place.run().exit_status == 0


def test_an_edited_source_is_told_once_and_does_not_change_the_run(place: Place) -> None:
    path = place.write(a_step("a", "echo", "old"), a_step("b", "echo", "old"))
    run_id = place.run(max_steps=1).run["id"]
    path.write_text(path.read_text().replace("old", "new"))
    told: list[Any] = []
    result = place.run(announce=told.append)
    assert result.run["id"] == run_id
    assert place.output("b") == "old"
    assert told == result.warnings
    assert [text for text in told if "has changed since this run was started" in text] == told
    assert "--new" in told[0]


def test_a_run_goes_on_after_its_source_has_disappeared(place: Place) -> None:
    path = place.write(a_step("a"), a_step("b"))
    run_id = place.run(max_steps=1).run["id"]
    path.unlink()
    result = place.run("project//workflows/w")
    assert (result.run["id"], result.run["status"]) == (run_id, "completed")
    assert "cannot be read any more" in result.warnings[0]


def test_a_fresh_run_is_not_told_of_drift(place: Place) -> None:
    place.write(a_step("a"))
    assert place.run().warnings == []


def test_new_leaves_the_active_run_and_a_plain_run_attaches_to_the_latest(place: Place) -> None:
    place.write(a_step("a"), a_step("b"))
    ticks = (f"2027-01-01T00:00:{second:02d}.000Z" for second in range(60))
    old = place.run(max_steps=1, now=lambda: next(ticks)).run["id"]
    new = place.run(max_steps=1, new=True, now=lambda: next(ticks)).run["id"]
    assert old != new
    assert place.row("SELECT status FROM workflow_runs WHERE id = ?", old)["status"] == "active"
    assert place.run(now=lambda: next(ticks)).run["id"] == new


def test_the_same_workflow_active_in_another_scope_is_named(place: Place) -> None:
    place.write(a_step("a"), a_step("b"))
    first = place.run(max_steps=1).run["id"]
    (place.root / "inner" / ".git").mkdir(parents=True)
    place.root = place.root / "inner"
    place.write(a_step("a"), a_step("b"))
    second = place.run(max_steps=1)
    assert second.run["id"] != first
    assert any(f"akm workflow run {first}" in text for text in second.warnings)
    third = place.run(new=True, max_steps=1)
    assert any(first in text and second.run["id"] not in text for text in third.warnings)
    assert place.run(max_steps=1).warnings == [], "a run that is gone on with is not told again"


def test_events_hold_no_prose_no_result_and_no_title(place: Place) -> None:
    marks = ["PROMPTMARK", "RESULTMARK", "NOTEMARK", "PARAMMARK", "TITLEMARK"]
    place.write(
        a_step("a", *sh("echo RESULTMARK")),
        a_step("b", *sh("echo NOTEMARK; echo NOTEMARK >&2; exit 3")),
        name="TITLEMARK".lower(),
        params={"p": {"type": "string"}},
        body={"a": "PROMPTMARK"},
    )
    place.run("titlemark", [("p", "PARAMMARK")])
    stored = "".join(row["metadata_json"] for row in place.rows("SELECT metadata_json FROM events"))
    assert stored.count("runId") == 7
    assert [mark for mark in marks if mark.lower() in stored.lower()] == []
    everything = json.dumps(place.rows("SELECT * FROM workflow_runs")) + json.dumps(
        place.rows("SELECT * FROM workflow_run_steps")
    )
    assert [mark for mark in marks if mark.lower() not in everything.lower()] == []


def test_a_unit_gets_nothing_of_the_surrounding_environment_but_the_allowlist(place: Place) -> None:
    place.write(a_step("a", "env"))
    surrounding: Mapping[str, str] = {"PATH": os.environ["PATH"], "SECRET": "s", "LANG": "C"}
    place.run(environment=surrounding)
    names = {line.partition("=")[0] for line in place.output("a").splitlines()}
    assert {"PATH", "LANG", "AKM_RUN_ID"} <= names
    assert "SECRET" not in names


def test_empty_output_is_no_output_and_a_reference_to_it_fails_by_name_on_resume_too(place: Place) -> None:
    place.write(a_step("a"), a_step("b", inputs=("steps.a.output",)))
    first = place.run()
    assert place.row("SELECT result_json FROM workflow_run_units")["result_json"] is None
    assert place.output("a") is None
    assert "steps.a.output" in first.executed[-1].summary
    runs.resume(place.db, first.run["id"], at="2027-01-01T00:00:00.000Z")
    second = place.run(first.run["id"])
    assert second.executed[-1].summary == first.executed[-1].summary
    assert [row[0] for row in place.attempts()] == ["a:solo"]


def test_a_run_is_found_by_its_id_from_any_directory(
    place: Place, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    place.write(a_step("a", "pwd"), a_step("b", "pwd"))
    run_id = place.run(max_steps=1).run["id"]
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    home, place.root = place.root, elsewhere
    assert place.run(run_id[:8]).run["status"] == "completed"
    assert place.output("b") == str(home)
    assert place.row("SELECT scope_key FROM workflow_runs")["scope_key"] == scope.key(home)


def test_parameters_stored_damaged_are_refused_in_a_sentence(place: Place) -> None:
    place.write(a_step("a"), a_step("b"))
    run_id = place.run(max_steps=1).run["id"]
    place.db.connection.execute("UPDATE workflow_runs SET params_json = '['")
    with pytest.raises(UsageError, match="params_json"):
        place.run(run_id)
    assert lock_path(place.locks, run_id).exists()
    assert place.status() == "active"


def test_a_current_step_that_the_plan_lacks_is_refused(place: Place) -> None:
    place.write(a_step("a"), a_step("b"))
    run_id = place.run(max_steps=1).run["id"]
    place.db.connection.execute("UPDATE workflow_runs SET current_step_id = 'ghost'")
    with pytest.raises(UsageError, match="no step ghost"):
        place.run(run_id)
