"""Stopping a driver from another terminal: its units end, and a request for another driver stops nobody."""

from __future__ import annotations

import json
import threading
import time
from typing import Any

import pytest
from outcomes import said
from places import Place
from workflow_files import a_map, a_step, items

from akm import private_files
from akm.engine import lock
from akm.engine.lock import RunLock
from akm.engine.recovery import cancelling
from akm.engine.runners.base import Dispatch, Outcome, failed
from akm.errors import NotFoundError, TransientError
from akm.store.opening import open_database

AT = "2027-01-15T08:00:00.000Z"


def request(place: Place, run_id: str, **changes: Any) -> None:
    """Write a request to stop the driver of a run; `changes` make it one for somebody else."""
    path = lock.lock_path(place.locks, run_id)
    wanted = json.dumps(lock.holder(path) | changes)
    private_files.write(path.with_suffix(".cancel"), wanted.encode())


def test_a_request_stops_the_units_and_leaves_the_run_to_be_gone_on_with(place: Place) -> None:
    place.write(a_map("a"), params=items(1, 2, 3))

    def act(dispatch: Dispatch) -> Outcome:
        request(place, dispatch.run_id)
        return failed("aborted", "stopped") if dispatch.abort.wait(20) else said("not stopped")

    result = place.fake(act)
    assert (result.exit_status, result.aborted_by, place.status()) == (1, "cancelled", "active")
    assert result.shown()["cancelled"] is True
    assert {one[2:] for one in place.attempts()} == {("failed", "aborted")}
    assert place.lock_files() == sorted(place.locks.glob("*.lock"))
    assert place.fake(lambda _one: said("done")).exit_status == 0


def test_a_request_for_another_driver_stops_nobody(place: Place) -> None:
    place.write(a_step("a"), a_step("b"))

    def act(dispatch: Dispatch) -> Outcome:
        request(place, dispatch.run_id, startedAt="2020-01-01T00:00:00.000Z")
        dispatch.abort.wait(2.5 * cancelling.LOOK_SECONDS)
        return said("done")

    assert place.fake(act).exit_status == 0


def test_a_request_left_behind_is_gone_when_a_driver_starts(place: Place) -> None:
    place.write(a_step("a"), a_step("b"))
    run_id = place.run(max_steps=1).run["id"]
    left = lock.lock_path(place.locks, run_id).with_suffix(".cancel")
    left.write_text("{}")
    assert place.run().exit_status == 0
    assert not left.exists()


def test_many_short_units_do_not_keep_a_driver_from_looking(place: Place) -> None:
    place.write(a_map("a", concurrency=1), params=items(*range(400)))

    def act(dispatch: Dispatch) -> Outcome:
        request(place, dispatch.run_id)
        time.sleep(0.01)
        return said("done")

    assert place.fake(act).aborted_by == "cancelled"


def test_nobody_to_stop_is_said(place: Place) -> None:
    place.write(a_step("a"), a_step("b"))
    run_id = place.run(max_steps=1).run["id"]
    with pytest.raises(NotFoundError, match="Nobody drives") as refused:
        cancelling.cancel(place.db, run_id, grace_seconds=1)
    assert refused.value.exit_status == 1
    assert not lock.lock_path(place.locks, run_id).with_suffix(".cancel").exists()


def test_a_driver_that_does_not_stop_in_time_is_named(place: Place) -> None:
    place.write(a_step("a"), a_step("b"))
    run_id = place.run(max_steps=1).run["id"]
    deaf = RunLock(place.locks, run_id)
    deaf.acquire(at=AT)
    try:
        with pytest.raises(TransientError, match="has not") as refused:
            cancelling.cancel(place.db, run_id, grace_seconds=0.2)
    finally:
        deaf.release()
    assert refused.value.exit_status == 75
    assert AT in refused.value.message


def test_cancelling_a_child_stops_its_root(place: Place) -> None:
    place.write(a_step("slow"), name="c")
    place.write({"id": "call", "unit": {"workflow": "workflows/c"}})

    def act(dispatch: Dispatch) -> Outcome:
        request(place, dispatch.run_id)
        return failed("aborted", "stopped") if dispatch.abort.wait(20) else said("not stopped")

    result = place.fake(act)
    assert result.aborted_by == "cancelled"
    assert {row["status"] for row in place.rows("SELECT status FROM workflow_runs")} == {"active"}


def test_what_was_never_started_is_not_counted_as_failed(place: Place) -> None:
    place.write(a_map("a", concurrency=1), params=items(1, 2, 3, 4))

    def act(dispatch: Dispatch) -> Outcome:
        if dispatch.item.item == 1:
            return said("x")
        request(place, dispatch.run_id)
        return failed("aborted", "stopped") if dispatch.abort.wait(20) else said("not stopped")

    (stopped,) = place.fake(act).executed
    assert (stopped.ending, stopped.unit_count, stopped.failed_units) == ("stopped", 4, 1)


def test_a_driver_waits_for_another_one_as_long_as_it_is_told(place: Place) -> None:
    place.write(a_step("a"), a_step("b"))
    run_id = place.run(max_steps=1).run["id"]
    held = RunLock(place.locks, run_id)
    held.acquire(at=AT)
    with pytest.raises(TransientError):
        place.run(wait_lock_ms=100)
    threading.Timer(0.3, held.release).start()
    assert place.run(wait_lock_ms=60_000).exit_status == 0


def test_whoever_waited_for_a_run_that_was_completed_meanwhile_does_nothing(place: Place) -> None:
    place.write(a_step("a"), a_step("b"))
    run_id = place.run(max_steps=1).run["id"]
    held = RunLock(place.locks, run_id)
    held.acquire(at=AT)

    def complete() -> None:
        with open_database(place.db.path) as other:
            from akm.services import steps

            steps.complete(other, run_id, "b", status="completed", at=AT, summary="Done.")
        held.release(is_over=True)

    threading.Timer(0.3, complete).start()
    result = place.run(run_id, wait_lock_ms=60_000)
    assert (result.exit_status, result.executed) == (0, [])
