"""Parking runs and going on with them."""

from __future__ import annotations

import json

import pytest
from builders import (
    AT,
    REF,
    attempt,
    dump,
    event_types,
    later,
    publish,
    row,
    rows,
)

from akm.errors import NotFoundError, UsageError
from akm.services import runs, steps
from akm.store.database import Database

RUN = "SELECT * FROM workflow_runs WHERE id = ?"
STEP = "SELECT * FROM workflow_run_steps WHERE run_id = ? AND step_id = ?"


def test_resume_clears_how_the_step_ended_and_leaves_the_rest(db: Database) -> None:
    run_id = publish(db, 3)
    steps.complete(db, run_id, "step-1", status="completed", at=later(1), summary="One.")
    attempt(db, run_id, "step-2")
    steps.complete(
        db, run_id, "step-2", status="blocked", at=later(2), notes="down", evidence_json="{}", summary="Two."
    )
    before = dump(db)
    assert runs.resume(db, run_id, at=later(3))
    step = row(db, STEP, run_id, "step-2")
    assert step["status"] == "pending"
    assert [step[name] for name in ("notes", "evidence_json", "summary", "completed_at")] == [None] * 4
    run = row(db, RUN, run_id)
    assert (run["status"], run["current_step_id"]) == ("active", "step-2")
    assert (run["updated_at"], run["completed_at"]) == (later(3), None)
    after = dump(db)
    for untouched in ("workflow_run_units", "workflow_run_unit_attempts"):
        assert after[untouched] == before[untouched]
    assert row(db, STEP, run_id, "step-1")["summary"] == "One."
    event = rows(db, "SELECT * FROM events ORDER BY id")[-1]
    assert (event["event_type"], event["ref"]) == ("workflow_resumed", REF)
    assert json.loads(event["metadata_json"]) == {"runId": run_id, "status": "active"}


@pytest.mark.parametrize("ending", ["failed", "skipped", "completed"])
def test_a_resumed_step_can_end_in_any_way(db: Database, ending: str) -> None:
    run_id = publish(db)
    steps.complete(db, run_id, "step-1", status="blocked", at=later(1), notes="down")
    runs.resume(db, run_id, at=later(2))
    state = steps.complete(db, run_id, "step-1", status=ending, at=later(3), summary="Done.")
    assert state.status == ("failed" if ending == "failed" else "completed")
    assert row(db, STEP, run_id, "step-1")["notes"] is None


def test_resuming_an_active_run_writes_nothing(db: Database) -> None:
    run_id = publish(db)
    before = dump(db)
    assert not runs.resume(db, run_id, at=later(1))
    assert dump(db) == before


def test_a_completed_run_is_neither_resumed_nor_abandoned(db: Database) -> None:
    run_id = publish(db)
    steps.complete(db, run_id, "step-1", status="completed", at=AT, summary="Done.")
    before = dump(db)
    with pytest.raises(UsageError, match="nothing to resume"):
        runs.resume(db, run_id, at=later(1))
    with pytest.raises(UsageError, match="nothing to abandon"):
        runs.abandon(db, run_id, at=later(1))
    assert dump(db) == before


def test_abandon_ends_the_run_and_leaves_its_steps(db: Database) -> None:
    run_id = publish(db, 2)
    before = dump(db)
    runs.abandon(db, run_id, at=later(1))
    run = row(db, RUN, run_id)
    assert (run["status"], run["updated_at"], run["completed_at"]) == ("failed", later(1), later(1))
    assert run["current_step_id"] == "step-1"
    assert dump(db)["workflow_run_steps"] == before["workflow_run_steps"]


def test_abandoning_twice_says_so_and_writes_nothing(db: Database) -> None:
    run_id = publish(db)
    runs.abandon(db, run_id, at=later(1))
    before = dump(db)
    with pytest.raises(UsageError, match="failed already"):
        runs.abandon(db, run_id, at=later(2))
    assert dump(db) == before


def test_a_blocked_run_is_abandoned_resumed_and_reopened_at_its_blocked_step(db: Database) -> None:
    run_id = publish(db, 2)
    steps.complete(db, run_id, "step-1", status="blocked", at=later(1), notes="down")
    runs.abandon(db, run_id, at=later(2))
    assert runs.resume(db, run_id, at=later(3))
    assert row(db, STEP, run_id, "step-1")["status"] == "pending"


def test_the_time_of_completion_is_gone_after_resume_and_right_at_the_end(db: Database) -> None:
    run_id = publish(db)
    for turn in (1, 3):
        runs.abandon(db, run_id, at=later(turn))
        assert row(db, RUN, run_id)["completed_at"] == later(turn)
        runs.resume(db, run_id, at=later(turn + 1))
        assert row(db, RUN, run_id)["completed_at"] is None
    steps.complete(db, run_id, "step-1", status="completed", at=later(9), summary="Done.")
    assert row(db, RUN, run_id)["completed_at"] == later(9)
    assert event_types(db).count("workflow_abandoned") == 1
    assert event_types(db).count("workflow_resumed") == 2


@pytest.mark.parametrize("act", [runs.resume, runs.abandon])
def test_an_unknown_run_is_named(db: Database, act: object) -> None:
    with pytest.raises(NotFoundError, match="no-such-run"):
        act(db, "no-such-run", at=AT)  # type: ignore[operator]
