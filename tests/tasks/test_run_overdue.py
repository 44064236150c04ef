"""Which tasks should have run and did not, and what is likely to blame."""

from __future__ import annotations

from pathlib import Path

import pytest
from running_tasks import Bench

from akm import clock
from akm.services import task_history
from akm.services.task_history import Ended
from akm.tasks import firing_state, overdue
from akm.tasks.firing_state import FiringState
from akm.tasks.overdue import Overdue
from akm.tasks.task import Schedule

NOW = clock.seconds("2026-12-02T12:10:00.000Z")


def found(
    bench: Bench, last_run: str | None, *, known_since: float = 0.0, cron: str = "0 * * * *"
) -> Overdue | None:
    task = bench.task("true", schedules=(Schedule(cron),))
    return overdue.find(task, last_run, NOW, known_since=known_since)


def test_a_task_whose_newest_fire_ran_is_not_overdue(bench: Bench) -> None:
    assert found(bench, "2026-12-02T12:00:00.350Z") is None


def test_a_task_is_overdue_since_the_first_fire_without_a_run(bench: Bench) -> None:
    expected = Overdue("project//tasks/t", "2026-12-02T10:00:00.000Z", "2026-12-02T12:00:00.000Z", 3)
    assert found(bench, "2026-12-02T09:00:01.000Z") == expected


def test_what_was_due_a_moment_ago_may_still_come(bench: Bench) -> None:
    assert found(bench, "2026-12-02T11:10:00.500Z", cron="9 12 * * *") is None


def test_nothing_was_due_before_the_task_was_as_it_is(bench: Bench) -> None:
    assert found(bench, None, known_since=NOW - 60) is None
    late = found(bench, None, known_since=clock.seconds("2026-12-02T11:30:00.000Z"))
    assert late is not None
    assert late.count == 1


def test_what_was_missed_is_no_run(bench: Bench) -> None:
    with bench.opened() as db:
        for at, status in (("2026-12-02T09:00:00.000Z", "completed"), ("2026-12-02T10:00:00.000Z", "missed")):
            task_history.record(db, "t", at, Ended(status=status, completed_at=at, duration_ms=0))
        assert overdue.last_run(db, bench.task("true")) == "2026-12-02T09:00:00.000Z"


@pytest.mark.parametrize(
    ("state", "word"),
    [
        (FiringState(frozenset(), None, True, True), "task serve` is running"),
        (FiringState(frozenset(), "There is no `crontab` command.", None, False), "no `crontab` command"),
        (FiringState(frozenset(), None, True, False), "not in the crontab"),
        (FiringState(frozenset({"a//tasks/t"}), None, False, False), "cron is not running"),
        (FiringState(frozenset({"a//tasks/t"}), None, True, False), "off or asleep"),
    ],
)
def test_the_likely_cause_is_named(state: FiringState, word: str) -> None:
    assert word in state.cause("a//tasks/t")


def test_a_cron_daemon_is_known_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "17").mkdir()
    (tmp_path / "17/comm").write_text("bash\n")
    assert firing_state.has_cron_daemon(tmp_path) is False
    (tmp_path / "17/comm").write_text("crond\n")
    assert firing_state.has_cron_daemon(tmp_path) is True
    assert firing_state.has_cron_daemon(tmp_path / "none") is None
