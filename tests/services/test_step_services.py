"""Moving a run along its spine."""

from __future__ import annotations

import json

import pytest
from builders import AT, dump, event_types, later, publish, row, rows

from akm.errors import NotFoundError, UsageError
from akm.services import runs, steps
from akm.store.database import Database

RUN = "SELECT * FROM workflow_runs WHERE id = ?"


def test_a_completed_step_moves_the_run_to_the_next(db: Database) -> None:
    run_id = publish(db, 2)
    evidence = '{"output":1}'
    state = steps.complete(
        db, run_id, "step-1", status="completed", at=later(1), summary="Did it.", notes="  ",
        evidence_json=evidence,
    )  # fmt: skip
    assert state == ("active", "step-2", None)
    run = row(db, RUN, run_id)
    assert (run["status"], run["current_step_id"], run["updated_at"]) == ("active", "step-2", later(1))
    step = rows(db, "SELECT * FROM workflow_run_steps ORDER BY sequence_index")[0]
    assert (step["status"], step["completed_at"], step["summary"]) == ("completed", later(1), "Did it.")
    assert (step["notes"], step["evidence_json"]) == (None, evidence)


def test_the_last_step_completes_the_run_at_its_latest_time(db: Database) -> None:
    run_id = publish(db, 2)
    # The clock was set back in between.
    steps.complete(db, run_id, "step-1", status="completed", at=later(9), summary="One.")
    state = steps.complete(db, run_id, "step-2", status="completed", at=later(2), summary="Two.")
    assert state == ("completed", None, later(9))
    run = row(db, RUN, run_id)
    assert (run["status"], run["current_step_id"], run["completed_at"]) == ("completed", None, later(9))


@pytest.mark.parametrize("status", ["failed", "blocked"])
def test_a_failed_or_blocked_step_stops_the_run_there(db: Database, status: str) -> None:
    run_id = publish(db, 2)
    state = steps.complete(db, run_id, "step-1", status=status, at=later(1), notes=" Why. ")
    assert state == (status, "step-1", None)
    assert row(db, RUN, run_id)["status"] == status
    assert rows(db, "SELECT notes FROM workflow_run_steps")[0]["notes"] == "Why."


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        ("completed", "workflow_step_completed"),
        ("failed", "workflow_step_updated"),
        ("blocked", "workflow_step_updated"),
        ("skipped", "workflow_step_updated"),
    ],
)
def test_the_event_tells_how_the_step_ended(db: Database, status: str, kind: str) -> None:
    run_id = publish(db, 2)
    steps.complete(db, run_id, "step-1", status=status, at=AT, summary="SENTINEL", notes="SENTINEL")
    event = rows(db, "SELECT * FROM events ORDER BY id")[-1]
    assert event["event_type"] == kind
    assert json.loads(event["metadata_json"]) == {"runId": run_id, "stepId": "step-1", "status": status}


def test_the_end_of_a_run_is_one_event_after_its_last_step(db: Database) -> None:
    run_id = publish(db)
    steps.complete(db, run_id, "step-1", status="completed", at=AT, summary="Done.")
    assert event_types(db) == ["workflow_started", "workflow_step_completed", "workflow_finished"]
    last = rows(db, "SELECT * FROM events ORDER BY id")[-1]
    assert json.loads(last["metadata_json"]) == {"runId": run_id}


@pytest.mark.parametrize("summary", [None, "", " \n"])
def test_completing_needs_a_summary(db: Database, summary: str | None) -> None:
    run_id = publish(db)
    before = dump(db)
    with pytest.raises(UsageError) as refused:
        steps.complete(db, run_id, "step-1", status="completed", at=AT, summary=summary)
    assert refused.value.code == "MISSING_REQUIRED_ARGUMENT"
    assert dump(db) == before


@pytest.mark.parametrize("status", ["pending", "running", "done"])
def test_a_step_ends_in_a_known_way_only(db: Database, status: str) -> None:
    with pytest.raises(ValueError, match="a step ends as"):
        steps.complete(db, publish(db), "step-1", status=status, at=AT)


def test_only_the_current_pending_step_of_an_active_run_moves(db: Database) -> None:
    run_id = publish(db, 3)
    steps.complete(db, run_id, "step-1", status="completed", at=AT, summary="One.")
    before = dump(db)
    for step_id, error, words in [
        ("step-1", UsageError, "completed already"),
        ("step-3", UsageError, "at step step-2, not at step-3"),
        ("step-9", NotFoundError, "no step step-9"),
    ]:
        with pytest.raises(error, match=words):
            steps.complete(db, run_id, step_id, status="failed", at=later(1))
    with pytest.raises(NotFoundError, match="no run"):
        steps.complete(db, "no-such-run", "step-1", status="failed", at=AT)
    assert dump(db) == before
    runs.abandon(db, run_id, at=later(1))
    with pytest.raises(UsageError, match="is failed"):
        steps.complete(db, run_id, "step-2", status="failed", at=later(2))
