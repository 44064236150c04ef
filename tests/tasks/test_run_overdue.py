"""Which tasks should have run and did not, and what is likely to blame."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from running_tasks import Bench

from akm import clock
from akm.services import task_history
from akm.services.task_history import Ended, Holder
from akm.tasks.files.task import Schedule
from akm.tasks.firing import firing_state, overdue
from akm.tasks.firing.firing_state import FiringState
from akm.tasks.firing.overdue import Ran, Unrun

NOW = clock.seconds("2026-12-02T12:10:00.000Z")


def moment(text: str) -> float:
    return clock.seconds(f"2026-12-02T{text}Z")


def ran(*spans: tuple[str, str]) -> list[Ran]:
    return [Ran(moment(start), moment(end)) for start, end in spans]


def found(bench: Bench, *starts: str, since: float = 0.0, cron: str = "0 * * * *") -> Unrun | None:
    task = bench.task("true", schedules=(Schedule(cron),))
    return overdue.find(task, ran(*((start, start) for start in starts)), NOW, since=since)


def gap(bench: Bench, *spans: tuple[str, str]) -> Unrun | None:
    task = bench.task("true", schedules=(Schedule("0 * * * *"),))
    return overdue.gap(task, ran(*spans), since=moment("08:30"))


def test_a_task_whose_newest_fire_ran_is_not_overdue(bench: Bench) -> None:
    assert found(bench, "12:00:00.350") is None


def test_a_task_is_overdue_since_the_first_fire_without_a_run(bench: Bench) -> None:
    expected = Unrun("project//tasks/t", "2026-12-02T10:00:00.000Z", "2026-12-02T12:00:00.000Z", 3)
    assert found(bench, "09:00:01.000") == expected


def test_what_was_due_a_moment_ago_may_still_come(bench: Bench) -> None:
    assert found(bench, "11:10:00.500", cron="9 12 * * *") is None


def test_nothing_was_due_before_the_task_was_as_it_is(bench: Bench) -> None:
    assert found(bench, since=NOW - 60) is None
    late = found(bench, since=moment("11:30"))
    assert late is not None
    assert late.count == 1


def test_a_later_run_does_not_hide_what_did_not_run_before_it(bench: Bench) -> None:
    missed = gap(bench, ("09:00:00.200", "09:01"), ("12:00:00.300", "12:01"))
    assert missed == Unrun("project//tasks/t", "2026-12-02T10:00:00.000Z", "2026-12-02T11:00:00.000Z", 2)


def test_every_fire_with_a_run_of_its_own_or_during_another_leaves_no_gap(bench: Bench) -> None:
    assert gap(bench) is None
    assert gap(bench, ("08:40", "08:41")) is None
    assert gap(bench, ("09:00:00.200", "10:20"), ("11:00:00.100", "11:01")) is None
    assert gap(bench, ("09:00:00.200", "09:01"), ("10:20", "10:21"), ("11:00", "11:01")) is None


def test_what_was_missed_is_no_run(bench: Bench) -> None:
    with bench.opened() as db:
        for at, status in (("2026-12-02T09:00:00.000Z", "completed"), ("2026-12-02T10:00:00.000Z", "missed")):
            task_history.record(db, "t", at, Ended(status=status, completed_at=at, duration_ms=0))
        assert overdue.runs(db, bench.task("true"), NOW - 86_400, NOW) == ran(("09:00", "09:00"))


def test_a_run_that_is_under_way_lasts_until_now(bench: Bench) -> None:
    task = bench.task("true")
    with bench.opened() as db:
        for pid, at in ((2**22 + 1, "2026-12-02T09:00:00.000Z"), (os.getpid(), "2026-12-02T10:00:00.000Z")):
            holder = Holder(pid, os.uname().nodename, None)
            task_history.reserve(db, "t", at=at, holder=holder, bundle=task.owner)
        lost, alive = overdue.runs(db, task, NOW - 86_400, NOW)
    assert (lost.end, alive.end) == (lost.start, NOW)


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


@pytest.mark.parametrize(
    ("line", "is_running"),
    [
        ("17 (bash) S 1", False),
        ("17 (crond) S 1", True),
        ("17 (a (cron) S) R 1", False),
        ("17 (cron) Z 1", False),
    ],
)
def test_a_cron_daemon_is_known_by_its_name_and_has_not_ended(
    tmp_path: Path, line: str, is_running: bool
) -> None:
    (tmp_path / "17").mkdir()
    (tmp_path / "1").mkdir()
    (tmp_path / "17/stat").write_text(f"{line} 17 17 0 -1\n")
    assert firing_state.has_cron_daemon(tmp_path) is is_running
    assert firing_state.has_cron_daemon(tmp_path / "none") is None


def test_where_only_ones_own_processes_are_listed_nothing_is_known_of_cron(tmp_path: Path) -> None:
    (tmp_path / "17").mkdir()
    assert firing_state.has_cron_daemon(tmp_path) is None


@pytest.mark.parametrize(
    ("state", "fault", "rivals"),
    [
        (FiringState(frozenset({"a//tasks/t"}), None, False, False), "cron is not running", None),
        (FiringState(frozenset({"a//tasks/t"}), None, False, True), None, None),
        (FiringState(frozenset({"a//tasks/t"}), None, None, False), None, None),
        (FiringState(frozenset(), "There is no `crontab`.", False, False), "There is no", None),
        (FiringState(frozenset({"a//tasks/t"}), None, True, True), None, "fires 1 of these"),
        (FiringState(frozenset(), None, True, True), None, None),
    ],
)
def test_nothing_that_fires_is_a_fault_and_two_that_fire_are_rivals(
    state: FiringState, fault: str | None, rivals: str | None
) -> None:
    for told, expected in ((state.fault(), fault), (state.rivals(), rivals)):
        assert expected in told if told and expected else told == expected
