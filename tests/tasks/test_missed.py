"""Fires that did not happen, in the history."""

from __future__ import annotations

from datetime import UTC, datetime

from running_tasks import Bench

from akm.tasks.execution import running
from akm.tasks.files.task import Schedule
from akm.tasks.firing import missed
from akm.tasks.firing.due import Due

FIRE = datetime(2026, 12, 2, 3, tzinfo=UTC)


def test_a_missed_fire_is_one_row_and_no_failure(bench: Bench) -> None:
    one = Due(bench.task("true"), 1, Schedule("0 3 * * *"), FIRE, FIRE, 1, True)
    with bench.opened() as db:
        assert missed.record(db, one, at="2026-12-02T08:00:00.000Z")
        assert not missed.record(db, one, at="2026-12-02T09:00:00.000Z")
        assert running.last_start(db, one.task) == "2026-12-02T03:00:00.000Z"
    row = bench.row()
    assert (row["status"], row["failed_at"], row["target_kind"]) == ("missed", None, "shell")
    assert bench.detail() == {"reason": "missed"}


def test_two_tasks_of_one_id_can_miss_the_same_moment(bench: Bench) -> None:
    tasks = [bench.task("true", bundle=name) for name in ("team", "mine")]
    fires = [Due(task, 1, Schedule("0 3 * * *"), FIRE, FIRE, 1, True) for task in tasks]
    at = "2026-12-02T08:00:00.000Z"
    with bench.opened() as db:
        assert [missed.record(db, one, at=at) for one in fires * 2] == [True, True, False, False]
        starts = [running.last_start(db, task) for task in tasks]
    assert starts == ["2026-12-02T03:00:00.000Z", "2026-12-02T03:00:00.001Z"]
