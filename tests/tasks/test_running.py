"""Which runs are under way."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from running_tasks import Bench

from akm.engine.processes import process_started_at
from akm.services import task_history
from akm.services.task_history import Ended, Holder
from akm.tasks.execution import running
from akm.tasks.history import reading

AT, LATER = "2026-12-02T03:00:00.000Z", "2026-12-02T04:00:00.000Z"


def test_a_later_process_of_the_same_number_is_not_taken_for_the_holder() -> None:
    own = process_started_at(os.getpid())
    assert reading.is_alive(os.getpid(), own)
    assert not reading.is_alive(os.getpid(), (own or 0) + 1)


def test_a_process_that_ended_is_gone_before_its_parent_notices() -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    started_at = process_started_at(child.pid)
    assert reading.is_alive(child.pid, started_at)
    assert child.stdin is not None
    child.stdin.close()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert not reading.is_alive(child.pid, started_at)
    assert not reading.is_alive(child.pid, None)
    child.wait()


def test_a_task_of_the_same_id_elsewhere_is_another_task(bench: Bench, tmp_path: Path) -> None:
    own, team, other = (
        bench.task("true"),
        bench.task("true", bundle="team"),
        bench.task("true", root=tmp_path / "elsewhere"),
    )
    holder = Holder(os.getpid(), os.uname().nodename, process_started_at(os.getpid()))
    with bench.opened() as db:
        task_history.reserve(db, "t", at=AT, holder=holder, bundle=team.owner)
        assert [running.since(db, task) for task in (own, team, other)] == [None, AT, None]
        assert [running.last_start(db, task) for task in (own, team, other)] == [None, AT, None]
        task_history.record(db, "t", LATER, Ended("completed", LATER, 0, bundle=own.owner))
        assert [running.last_start(db, task) for task in (own, team, other)] == [LATER, AT, None]


def test_a_row_that_names_no_bundle_counts_for_every_task_of_its_id(bench: Bench) -> None:
    tasks = bench.task("true"), bench.task("true", bundle="team")
    holder = Holder(os.getpid(), os.uname().nodename, process_started_at(os.getpid()))
    with bench.opened() as db:
        task_history.reserve(db, "t", at=AT, holder=holder)
        assert [running.since(db, task) for task in tasks] == [AT, AT]


def test_a_run_names_the_bundle_from_its_start_to_its_end(bench: Bench) -> None:
    bench.run("true", bundle="team")
    with bench.opened() as db:
        (row,) = running.attempts(db, running.of(bench.task("true", bundle="team")))
    assert (row["bundle"], row["status"]) == ("team", "completed")
