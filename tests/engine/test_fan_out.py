"""Fanning a step's units out: order, width, retries, and a ledger that does not take what it is given."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from outcomes import broken, done, said
from places import Place
from workflow_files import a_map, a_step, items, sh

from akm.engine.progress import Progress
from akm.engine.runners.base import Dispatch, Outcome
from akm.errors import AkmError, TransientError
from akm.services import attempts, runs
from akm.store.opening import open_database

AT = "2027-01-01T00:00:00.000Z"


class Gauge:
    """Runs units and remembers how many ran at once."""

    def __init__(self, meet: int) -> None:
        self._lock = threading.Lock()
        self._barrier = threading.Barrier(meet, timeout=30)
        self._running = 0
        self.peak = 0

    def __call__(self, dispatch: Dispatch) -> Outcome:
        with self._lock:
            self._running += 1
            self.peak = max(self.peak, self._running)
        # Passed only when as many as are meant to run at once do so.
        self._barrier.wait()
        with self._lock:
            self._running -= 1
        return said(str(dispatch.item.item))


def test_as_many_units_run_at_once_as_the_map_says_and_results_keep_the_items_order(place: Place) -> None:
    place.write(a_map("a", concurrency=3), params=items(*range(9)))
    gauge = Gauge(3)
    place.fake(gauge)
    assert gauge.peak == 3
    assert place.output("a") == [str(number) for number in range(9)]


@pytest.mark.parametrize(("asked", "width"), [(None, 3), (2, 2), (1, 1), (64, 3)])
def test_the_invocation_can_narrow_the_width_and_not_widen_it(
    place: Place, asked: int | None, width: int
) -> None:
    place.write(a_map("a", concurrency=3), params=items(*range(9)))
    reserved: list[int] = []

    def count(_dispatch: Dispatch) -> Outcome:
        with open_database(place.db.path) as other:
            query = "SELECT count(*) FROM workflow_run_unit_attempts WHERE status = 'running'"
            reserved.append(other.connection.execute(query).fetchone()[0])
        return said("x")

    place.fake(count, max_concurrency=asked)
    assert max(reserved) == width


def test_an_item_that_ends_last_still_comes_first_in_the_result(place: Place) -> None:
    place.write(a_map("a", concurrency=2), params=items("slow", "fast"))
    fast_is_done = threading.Event()

    def act(dispatch: Dispatch) -> Outcome:
        if dispatch.item.item == "fast":
            fast_is_done.set()
        assert fast_is_done.wait(30)
        return said(dispatch.item.item)

    place.fake(act)
    assert place.output("a") == ["slow", "fast"]


def test_equal_items_are_units_of_their_own(place: Place) -> None:
    place.write(a_map("a"), params=items("x", "y", "x", "x"))
    place.fake(lambda one: said(one.item.unit_id[-2:]))
    ids = [row[0] for row in place.attempts()]
    assert len(set(ids)) == 4
    assert sorted(one.partition("#")[2] for one in ids) == ["", "", "2", "3"]
    assert place.output("a")[2:] == ["#2", "#3"]


def test_reordering_the_list_reuses_every_unit(place: Place) -> None:
    place.write(
        a_step("list", *sh("echo '[3,1,2]'"), output={"type": "array"}),
        a_map("a", over="steps.list.output"),
    )
    place.fake(lambda one: said(str(one.item.item)) if one.item.index != 1 else broken(), max_steps=1)
    run_id = place.row("SELECT id FROM workflow_runs")["id"]
    place.db.connection.execute(
        "UPDATE workflow_run_steps SET evidence_json = '{\"output\":[3,1,2]}', status = 'completed' "
        "WHERE step_id = 'list'"
    )
    place.db.connection.execute("UPDATE workflow_runs SET current_step_id = 'a', status = 'active'")
    place.fake(lambda one: said(str(one.item.item)) if one.item.item != 1 else broken(), target=run_id)
    place.db.connection.execute(
        "UPDATE workflow_run_steps SET evidence_json = '{\"output\":[1,2,3]}' WHERE step_id = 'list'"
    )
    runs.resume(place.db, run_id, at=AT)
    place.dispatched.clear()
    place.fake(lambda one: said(str(one.item.item)), target=run_id)
    assert [one.item.item for one in place.dispatched] == [1]
    assert place.output("a") == ["1", "2", "3"]


def test_null_as_an_item_is_refused_before_anything_is_dispatched(place: Place) -> None:
    place.write(a_map("a"), params=items(1, None))
    result = place.fake(done)
    assert (result.exit_status, place.dispatched, place.attempts()) == (1, [], [])
    assert "params.items[1] is null" in result.executed[0].summary


def test_an_empty_list_gives_an_empty_result_without_a_dispatch(place: Place) -> None:
    place.write(a_map("a"), params=items())
    assert place.fake(done).exit_status == 0
    assert (place.output("a"), place.attempts()) == ([], [])


def test_only_the_named_reasons_are_retried(place: Place) -> None:
    retry = {"max": 3, "on": ["timeout"]}
    place.write(
        a_map("a", retry=retry, on_error="continue", concurrency=1), params=items("timeout", "aborted")
    )
    place.fake(lambda one: broken(one.item.item))
    reasons = [row[3] for row in place.attempts()]
    assert sorted(reasons) == ["aborted", *["timeout"] * 4]


def test_a_retry_ends_with_the_first_success(place: Place) -> None:
    place.write(a_step("a", retry={"max": 3, "on": ["non_zero_exit"]}))
    endings = [broken(), broken(), said("third")]
    assert place.fake(lambda _one: endings.pop(0)).exit_status == 0
    assert [row[1:3] for row in place.attempts()] == [(1, "failed"), (2, "failed"), (3, "completed")]
    assert place.output("a") == "third"


@pytest.mark.parametrize(("on_error", "exit_status"), [("fail", 1), ("continue", 0)])
def test_a_failed_unit_fails_its_step_unless_it_may_go_on_and_its_siblings_run(
    place: Place, on_error: str, exit_status: int
) -> None:
    place.write(a_map("a", on_error=on_error, concurrency=1), params=items(1, 2, 3))
    result = place.fake(lambda one: broken() if one.item.item == 1 else said("x"))
    assert (result.exit_status, len(place.dispatched)) == (exit_status, 3)
    assert place.output("a") == [None, "x", "x"]
    assert result.executed[0].failed_units == 1


CYCLE: dict[str, Any] = {}
CYCLE["itself"] = CYCLE


@pytest.mark.parametrize(
    "result",
    [b"bytes", {1}, float("nan"), object(), datetime(2026, 12, 2), CYCLE, {"a": [b"deep"]}],
    ids=["bytes", "a set", "nan", "an object", "a date", "a cycle", "bytes within"],
)
def test_a_result_that_is_no_json_fails_the_unit_and_not_the_driver(place: Place, result: Any) -> None:
    place.write(a_step("a"))
    ended = place.fake(lambda _one: Outcome("completed", result=result, has_result=True))
    assert ended.exit_status == 1
    assert place.attempts() == [("a:solo", 1, "failed", "dispatch_error")]
    assert "not JSON" in ended.executed[0].summary


def test_a_runner_that_raises_fails_its_unit_and_nobody_waits_for_it(place: Place) -> None:
    place.write(a_map("a"), params=items(1, 2))

    def explode(_dispatch: Dispatch) -> Outcome:
        raise SystemExit("boom")

    assert place.fake(explode).exit_status == 1
    assert {row[2:] for row in place.attempts()} == {("failed", "dispatch_error")}


def test_so_does_one_whose_result_no_secret_can_be_taken_out_of(place: Place) -> None:
    place.write(a_step("a", exec={"command": ["true"], "pass_env": ["TOKEN"]}))
    endless = Outcome("completed", result=CYCLE, has_result=True)
    assert place.fake(lambda _one: endless, environment={"TOKEN": "0123456789"}).exit_status == 1
    assert place.attempts() == [("a:solo", 1, "failed", "dispatch_error")]


# --- a ledger that does not take what it is given


def advance_with(
    monkeypatch: pytest.MonkeyPatch, refuse: Callable[[Any, Any], AkmError | None]
) -> list[tuple[int, int]]:
    """Let `refuse(finished, wanted)` make a batch fail as if SQLite had; returns the sizes of all batches."""
    real = attempts.advance
    batches: list[tuple[int, int]] = []

    def advance(db: Any, run_id: str, *, finished: Any = (), wanted: Any = (), at: str) -> Any:
        batches.append((len(finished), len(wanted)))
        error = refuse(finished, wanted)
        if error is not None:
            raise error
        return real(db, run_id, finished=finished, wanted=wanted, at=at)

    monkeypatch.setattr(attempts, "advance", advance)
    return batches


def contended() -> TransientError:
    return TransientError("The database is held by process 1.", code="STATE_DB_CONTENDED")


def test_a_contended_batch_is_tried_again_from_its_start(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.write(a_step("a"))
    failures = [contended(), contended()]
    batches = advance_with(monkeypatch, lambda _finished, _wanted: failures.pop() if failures else None)
    assert place.fake(done).exit_status == 0
    assert place.attempts() == [("a:solo", 1, "completed", None)]
    assert batches == [(0, 1), (0, 1), (0, 1), (1, 0)]


def test_a_unit_that_could_not_be_reserved_is_not_marked_failed(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.write(a_step("a"))
    with monkeypatch.context() as patch:
        advance_with(patch, lambda _finished, wanted: contended() if wanted else None)
        with pytest.raises(TransientError) as refused:
            place.fake(done)
    assert (refused.value.exit_status, refused.value.code) == (75, "STATE_DB_CONTENDED")
    assert (place.dispatched, place.attempts(), place.status()) == ([], [], "active")
    assert place.fake(done).exit_status == 0


def test_when_nothing_more_can_be_reserved_units_under_way_are_stopped_and_finished(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.write(a_map("a", concurrency=2), params=items("quick", "slow", "third"))

    def act(dispatch: Dispatch) -> Outcome:
        if dispatch.item.item == "slow":
            return broken("aborted") if dispatch.abort.wait(5) else said("was not stopped")
        return said("x")

    full = TransientError("The disk that holds it is full; nothing was written.", code="DATABASE_FULL")

    def refuse(_finished: Any, wanted: Any) -> AkmError | None:
        return full if wanted and place.attempts() else None

    with monkeypatch.context() as patch:
        advance_with(patch, refuse)
        with pytest.raises(TransientError, match="disk") as refused:
            place.fake(act)
    assert refused.value.exit_status == 75
    assert [row[2:] for row in place.attempts()] in (
        [("completed", None), ("failed", "aborted")],
        [("failed", "aborted"), ("completed", None)],
    )
    assert place.status() == "active"
    assert place.fake(lambda _one: said("y")).exit_status == 0
    assert place.output("a") == ["x", "y", "y"]


def test_a_result_that_cannot_be_written_fails_the_step_and_is_not_dispatched_again_by_itself(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.write(a_step("a", on_error="continue"))
    full = TransientError("The disk that holds it is full; nothing was written.", code="DATABASE_FULL")
    advance_with(monkeypatch, lambda finished, _wanted: full if finished else None)
    result = place.fake(lambda _one: said("x"), max_retries=3)
    assert (result.exit_status, len(place.dispatched)) == (1, 1)
    assert "a:solo ran, but its result was not recorded: The disk" in result.executed[0].summary
    notes = place.row("SELECT status, notes FROM workflow_run_steps")
    assert notes["status"] == "failed"
    assert "a:solo ran, but its result was not recorded" in notes["notes"]
    assert place.attempts() == [("a:solo", 1, "running", None)]


def test_only_the_end_that_does_not_fit_on_the_disk_is_lost(place: Place) -> None:
    place.write(a_map("a", concurrency=1), params=items("big", "small"))
    pages = place.row("PRAGMA page_count")["page_count"]
    place.db.connection.execute(f"PRAGMA max_page_count = {pages + 40}")
    result = place.fake(lambda one: said("x" * 1_000_000) if one.item.item == "big" else said("y"))
    place.db.connection.execute("PRAGMA max_page_count = 1000000")
    assert "is full" in result.executed[0].summary
    assert [row[2] for row in place.attempts()] == ["running"]
    assert place.status() == "failed"


def test_a_second_end_of_an_attempt_is_refused_and_said(place: Place) -> None:
    place.write(a_step("a"))

    def somebody_was_faster(dispatch: Dispatch) -> Outcome:
        from akm.services.attempts import Finished

        with open_database(place.db.path) as other:
            early = Finished("a:solo", dispatch.attempt, dispatch.dispatch_id, "completed", '"early"')
            assert attempts.finish(other, dispatch.run_id, early, at=AT)
        return said("late")

    result = place.fake(somebody_was_faster)
    assert "refused" in result.executed[0].notices[0]
    assert place.row("SELECT result_json FROM workflow_run_units")["result_json"] == '"early"'


def test_a_result_that_is_lost_is_told_even_when_the_step_cannot_be_ended_either(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.write(a_step("a"))
    full = TransientError("The disk that holds it is full; nothing was written.", code="DATABASE_FULL")
    told: list[Progress] = []

    def refuse(*_arguments: Any, **_named: Any) -> None:
        raise full

    with monkeypatch.context() as patch:
        advance_with(patch, lambda finished, _wanted: full if finished else None)
        patch.setattr("akm.services.steps.complete", refuse)
        with pytest.raises(TransientError, match="is full"):
            place.fake(done, observe=told.append)
    (notice,) = [news.text for news in told if news.kind == "notice"]
    assert "a:solo ran, but its result was not recorded" in str(notice)
    assert place.status() == "active"
    assert place.fake(done).exit_status == 0
    assert place.attempts() == [("a:solo", 1, "completed", None)]
