"""Reserving and finishing dispatches."""

from __future__ import annotations

import json
import os

import pytest
from builders import AT, REF, a_wanted, attempt, dump, event_types, finished, later, publish, row, rows

from akm.errors import AkmError, NotFoundError, UsageError
from akm.services import attempts, runs
from akm.services.attempts import Finished
from akm.store.database import Database

ATTEMPT = "SELECT * FROM workflow_run_unit_attempts"
UNIT = "SELECT * FROM workflow_run_units"


def test_the_first_attempt_is_number_one_and_running(db: Database) -> None:
    run_id = publish(db)
    reserved = attempts.reserve(db, run_id, a_wanted(engine="writer", model="small"), at=later(1))
    assert (reserved.attempt, reserved.is_reclaimed) == (1, False)
    shared = {
        "run_id": run_id,
        "unit_id": "step-1",
        "step_id": "step-1",
        "node_id": "step-1.unit",
        "phase": "unit",
        "runner": "exec",
        "engine": "writer",
        "model": "small",
        "input_hash": "hash-1",
        "status": "running",
        "started_at": later(1),
        "claim_holder": f"pid:{os.getpid()}",
        "claim_expires_at": later(1),
        "finished_at": None,
        "result_json": None,
    }
    journalled, projected = row(db, ATTEMPT), row(db, UNIT)
    assert journalled.items() >= (shared | {"attempt": 1, "dispatch_id": reserved.dispatch_id}).items()
    assert projected.items() >= (shared | {"attempts": 1}).items()


def test_a_running_attempt_is_handed_out_again_and_nothing_is_written(db: Database) -> None:
    run_id = publish(db)
    first = attempts.reserve(db, run_id, a_wanted(), at=later(1))
    before = dump(db)
    again = attempts.reserve(db, run_id, a_wanted(input_hash="other"), at=later(9))
    assert again == first._replace(is_reclaimed=True)
    assert dump(db) == before


def test_after_an_end_comes_the_next_number_with_a_new_dispatch_id(db: Database) -> None:
    run_id = publish(db)
    first = attempt(db, run_id, status="failed", failure_reason="non_zero_exit", tokens=3, session_id="s")
    second = attempts.reserve(db, run_id, a_wanted(input_hash="hash-2", runner="llm"), at=later(5))
    assert second.attempt == 2
    assert second.dispatch_id != first.dispatch_id
    unit = row(db, UNIT)
    assert (unit["attempts"], unit["status"], unit["input_hash"], unit["runner"]) == (
        2,
        "running",
        "hash-2",
        "llm",
    )
    cleared = ("result_json", "tokens", "failure_reason", "session_id", "finished_at")
    assert [unit[name] for name in cleared] == [None] * 5
    # The journal keeps what the projection forgets.
    assert rows(db, ATTEMPT + " ORDER BY attempt")[0]["failure_reason"] == "non_zero_exit"


@pytest.mark.parametrize("end", ["abandoned", "unknown"])
def test_nothing_is_reserved_for_a_run_that_is_not_active(db: Database, end: str) -> None:
    run_id = publish(db)
    if end == "abandoned":
        runs.abandon(db, run_id, at=later(1))
    before = dump(db)
    wanted = run_id if end == "abandoned" else "no-such-run"
    with pytest.raises(UsageError if end == "abandoned" else NotFoundError) as refused:
        attempts.reserve(db, wanted, a_wanted(), at=later(2))
    assert refused.value.code == ("RESOURCE_ALREADY_EXISTS" if end == "abandoned" else "WORKFLOW_NOT_FOUND")
    assert dump(db) == before


def test_a_finished_attempt_and_its_projection_say_the_same(db: Database) -> None:
    run_id = publish(db)
    reserved = attempts.reserve(db, run_id, a_wanted(), at=AT)
    ending = finished(
        reserved, "failed", result_json='"no"', tokens=5, failure_reason="timeout", session_id="s"
    )
    assert attempts.finish(db, run_id, ending, at=later(3))
    expected = {
        "status": "failed",
        "result_json": '"no"',
        "tokens": 5,
        "failure_reason": "timeout",
        "session_id": "s",
        "finished_at": later(3),
    }
    assert row(db, ATTEMPT).items() >= expected.items()
    assert row(db, UNIT).items() >= expected.items()


def test_a_second_end_is_refused_and_changes_nothing(db: Database) -> None:
    run_id = publish(db)
    reserved = attempt(db, run_id, tokens=5)
    before = dump(db)
    assert not attempts.finish(db, run_id, finished(reserved, "failed", tokens=9), at=later(4))
    assert dump(db) == before
    assert event_types(db).count("workflow_unit_finished") == 1


@pytest.mark.parametrize("wrong", [{"dispatch_id": "another"}, {"attempt": 2}, {"unit_id": "step-2"}])
def test_an_end_lands_only_on_exactly_its_attempt(db: Database, wrong: dict[str, object]) -> None:
    run_id = publish(db)
    reserved = attempts.reserve(db, run_id, a_wanted(), at=AT)
    before = dump(db)
    assert not attempts.finish(db, run_id, finished(reserved)._replace(**wrong), at=later(1))
    assert dump(db) == before


def test_a_dispatched_outcome_lands_after_the_run_was_abandoned(db: Database) -> None:
    run_id = publish(db)
    reserved = attempts.reserve(db, run_id, a_wanted(), at=AT)
    runs.abandon(db, run_id, at=later(1))
    assert attempts.finish(db, run_id, finished(reserved), at=later(2))
    assert row(db, UNIT)["status"] == "completed"


def test_an_end_whose_projection_moved_on_is_taken_back_whole(db: Database) -> None:
    run_id = publish(db)
    reserved = attempts.reserve(db, run_id, a_wanted(), at=AT)
    db.connection.execute("UPDATE workflow_run_units SET attempts = 2")
    before = dump(db)
    with pytest.raises(AkmError, match="no longer its unit's latest"):
        attempts.finish(db, run_id, finished(reserved), at=later(1))
    assert dump(db) == before


def test_an_end_without_a_run_is_refused(db: Database) -> None:
    with pytest.raises(NotFoundError):
        attempts.finish(db, "no-such-run", Finished("u", 1, "d", "completed"), at=AT)


def test_a_batch_finishes_and_reserves_in_order(db: Database) -> None:
    run_id = publish(db)
    one, two = (attempts.reserve(db, run_id, a_wanted(f"u{n}"), at=AT) for n in (1, 2))
    attempts.finish(db, run_id, finished(two), at=AT)
    done = attempts.advance(
        db,
        run_id,
        finished=[finished(one), finished(two)],
        wanted=[a_wanted("u1"), a_wanted("u3")],
        at=later(1),
    )
    assert done.landed == (True, False)
    assert [(made.unit_id, made.attempt) for made in done.reserved] == [("u1", 2), ("u3", 1)]
    assert done.run_status == "active"


def test_a_batch_of_an_abandoned_run_lands_its_ends_and_reserves_nothing(db: Database) -> None:
    run_id = publish(db)
    one = attempts.reserve(db, run_id, a_wanted("u1"), at=AT)
    runs.abandon(db, run_id, at=AT)
    done = attempts.advance(db, run_id, finished=[finished(one)], wanted=[a_wanted("u2")], at=later(1))
    assert done == ((True,), (), "failed")
    assert [unit["unit_id"] for unit in rows(db, UNIT)] == ["u1"]


def test_events_carry_ids_statuses_and_counts_and_no_word_of_the_work(db: Database) -> None:
    run_id = publish(db, workflow_title="SENTINEL", params_json='{"p":"SENTINEL"}')
    first = attempts.reserve(db, run_id, a_wanted(), at=AT)
    secrets = {"result_json": '"SENTINEL"', "session_id": "SENTINEL"}
    attempts.finish(db, run_id, finished(first, "failed", failure_reason="timeout", **secrets), at=AT)
    second = attempt(db, run_id, tokens=0, **secrets)
    found = rows(db, "SELECT event_type, ref, metadata_json FROM events ORDER BY id")
    metadata = [json.loads(event["metadata_json"]) for event in found]
    ids = {"runId": run_id, "stepId": "step-1", "unitId": "step-1", "phase": "unit"}
    of_first = ids | {"attempt": 1, "dispatchId": first.dispatch_id}
    of_second = ids | {"attempt": 2, "dispatchId": second.dispatch_id}
    assert metadata == [
        {"runId": run_id, "status": "active"},
        of_first | {"status": "running"},
        of_first | {"status": "failed", "failureReason": "timeout"},
        of_second | {"status": "running"},
        of_second | {"status": "completed", "tokens": 0},
    ]
    assert {event["ref"] for event in found} == {REF}
    assert "SENTINEL" not in str(found)


@pytest.mark.parametrize("act", ["finish", "advance"])
def test_an_attempt_cannot_end_as_running(db: Database, act: str) -> None:
    run_id = publish(db)
    held = attempts.reserve(db, run_id, a_wanted(), at=AT)
    open_end = Finished(held.unit_id, held.attempt, held.dispatch_id, "running")
    before = dump(db)
    write = {
        "finish": lambda: attempts.finish(db, run_id, open_end, at=AT),
        "advance": lambda: attempts.advance(db, run_id, finished=[open_end], at=AT),
    }
    with pytest.raises(ValueError, match="ends as one of"):
        write[act]()
    assert dump(db) == before
