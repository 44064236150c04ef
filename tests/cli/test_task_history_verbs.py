"""`akm task history`, `intervals` and `prune-history`: filters, times in any zone, and what is deleted."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from akm import clock
from akm.engine.processes import process_started_at
from akm.services import task_history
from akm.services.task_history import Ended, Holder
from akm.store.opening import open_database

Run = Callable[..., Any]
#: In St. John's the clock went back that day at 2:00, which was 04:30 in UTC.
MOMENTS = [f"2026-11-01T{hour}:30:00.000Z" for hour in ("01", "03", "04", "05")]
DONE = Ended("completed", MOMENTS[-1], 61_000, "/logs/x.log", "shell", detail={"exitCode": 0})


@pytest.fixture
def ledger(home: Path, migrated: Path) -> Path:
    """An empty ledger, where the command looks for it."""
    (home / "data").mkdir()
    return Path(shutil.copyfile(migrated, home / "data/state.db"))


def record(ledger: Path, *starts: str, task_id: str = "nightly", ended: Ended = DONE) -> None:
    with open_database(ledger, synchronous="normal") as db:
        for at in starts:
            task_history.record(db, task_id, at, ended)


def starts(done: Any) -> list[str]:
    assert done.status == 0, done.err
    return [row["startedAt"] for row in done.result["rows"]]


@pytest.fixture(params=["UTC", "America/St_Johns", "Pacific/Kiritimati"])
def zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A time zone that the process stands in."""
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield request.param
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("zone")
def test_times_mean_the_same_in_every_zone(run: Run, ledger: Path) -> None:
    record(ledger, *MOMENTS)
    newest_first = MOMENTS[::-1]
    assert starts(run("task", "history", "--since", "2026-11-01T03:30")) == newest_first[:3]
    assert starts(run("task", "history", "--since", "2026-11-01T01:00-02:30")) == newest_first[:3]
    assert starts(run("task", "history", "--until", "2026-11-01T03:30Z")) == newest_first[2:]
    recent = clock.stamp(time.time() - 1800)
    record(ledger, recent, clock.stamp(time.time() - 5400), task_id="recent")
    assert starts(run("task", "history", "recent", "--since", "1h")) == [recent]


def test_people_see_their_own_time_with_its_offset(run: Run, ledger: Path, zone: str) -> None:
    record(ledger, MOMENTS[0], MOMENTS[3])
    out = run("task", "history", "--format", "text").out
    expected = {
        "UTC": ("STARTED (+0000)", "01:30:00  "),
        "America/St_Johns": ("STARTED  ", "23:00:00 -0230"),
        "Pacific/Kiritimati": ("STARTED (+1400)", "15:30:00  "),
    }
    assert all(part in out for part in expected[zone]), out
    assert "1m 1s" in out
    assert out.endswith("\nLogs, each named by its start in UTC: /logs\n")
    assert run("task", "history", "--limit", "1", "--format", "text").out.endswith("\nLog: /logs/x.log\n")


def test_filters_narrow(run: Run, ledger: Path) -> None:
    record(ledger, MOMENTS[0])
    ref = "team//workflows/w"
    failed = Ended(
        "failed",
        MOMENTS[1],
        1,
        target_kind="workflow",
        target_ref=ref,
        detail={"reason": "timeout", "exitCode": 143},
    )
    record(ledger, MOMENTS[1], task_id="other", ended=failed)
    for asked in (("other",), ("other.yml",), ("--id", "other"), ("--status", "failed"), ("--target", ref)):
        assert starts(run("task", "history", *asked)) == [MOMENTS[1]], asked
    assert starts(run("task", "history", "--target", "shell")) == [MOMENTS[0]]
    assert starts(run("task", "history", "--limit", "1")) == [MOMENTS[1]]
    assert len(starts(run("task", "history", "--limit", "0"))) == 2
    assert run("task", "history", "--limit", "-3").status == 2
    assert "timeout 143" in run("task", "history", "--format", "text").out
    assert run("task", "history", "nosuch", "--format", "text").out == "No attempts.\n"


@pytest.mark.usefixtures("ledger")
@pytest.mark.parametrize(
    "asked",
    [("a", "--id", "b"), ("--status", "odd"), ("--since", "yesterday"), ("prune", "--older-than", "never")],
)
def test_a_mistake_is_told_and_not_repeated(run: Run, asked: tuple[str, ...]) -> None:
    done = run("task", "history", *asked)
    assert (done.status, done.error["code"]) == (2, "INVALID_FLAG_VALUE")
    assert asked[-1] not in done.error["error"].split()


def test_the_attempt_of_a_dead_process_is_interrupted(run: Run, ledger: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    holders = [(os.getpid(), process_started_at(os.getpid())), (process.pid, process_started_at(process.pid))]
    process.communicate(b"\n")
    with open_database(ledger, synchronous="normal") as db:
        for pid, started_at in holders:
            holder = Holder(pid, os.uname().nodename, started_at)
            task_history.reserve(db, "nightly", at=MOMENTS[0], holder=holder)
    assert [row["status"] for row in run("task", "history").result["rows"]] == ["interrupted", "active"]
    assert len(starts(run("task", "history", "--status", "interrupted"))) == 1
    assert starts(run("task", "history", "--status", "active")) == [MOMENTS[0]]


def test_a_damaged_row_is_warned_of_and_the_rest_is_shown(run: Run, ledger: Path) -> None:
    record(ledger, *MOMENTS[:2])
    with open_database(ledger, synchronous="normal") as db:
        db.connection.execute(
            "UPDATE task_history SET metadata_json = 'x' WHERE started_at = ?", [MOMENTS[0]]
        )
    done = run("task", "history")
    assert starts(done) == [MOMENTS[1]]
    assert MOMENTS[0] in done.err


def test_intervals_leave_out_their_end(run: Run, ledger: Path) -> None:
    record(ledger, *MOMENTS)
    asked = ("task", "intervals", "nightly", "--since", MOMENTS[1], "--until", MOMENTS[3])
    assert starts(run(*asked)) == MOMENTS[1:3]
    assert starts(run("task", "intervals", "nightly")) == MOMENTS


@pytest.mark.parametrize("verb", [("history", "prune"), ("prune-history",)])
def test_pruning_counts_first_and_then_deletes_as_many(run: Run, ledger: Path, verb: tuple[str, ...]) -> None:
    record(ledger, *MOMENTS)
    asked = ("task", *verb, "--older-than", MOMENTS[2])
    assert run(*asked, "--dry-run").result["count"] == 2
    assert len(starts(run("task", "history"))) == 4
    assert run(*asked).result["count"] == 2
    assert starts(run("task", "history")) == [MOMENTS[3], MOMENTS[2]]
    assert run("task", *verb).status == 2


def test_a_task_called_prune_has_a_history(run: Run, ledger: Path) -> None:
    record(ledger, MOMENTS[0], task_id="prune")
    assert starts(run("task", "history", "--id", "prune")) == [MOMENTS[0]]


def test_a_ref_narrows_to_its_bundle_and_to_rows_that_name_none(run: Run, home: Path, ledger: Path) -> None:
    for at, bundle in zip(MOMENTS, ("team", "mine", None, str(home / "project")), strict=True):
        record(ledger, at, ended=DONE._replace(bundle=bundle))
    asked = ("task", "history")
    assert starts(run(*asked, "team//tasks/nightly")) == [MOMENTS[2], MOMENTS[0]]
    assert starts(run(*asked, "mine//nightly.yml", "--limit", "1")) == [MOMENTS[2]]
    assert starts(run(*asked, "--id", "project//tasks/nightly")) == [MOMENTS[3], MOMENTS[2]]
    assert len(starts(run(*asked, "tasks/nightly"))) == 4
    assert [row.get("bundle") for row in run(*asked).result["rows"]][1:] == [None, "mine", "team"]


def test_what_was_missed_can_be_asked_for(run: Run, ledger: Path) -> None:
    record(ledger, MOMENTS[0])
    record(ledger, MOMENTS[1], ended=DONE._replace(status="missed"))
    assert starts(run("task", "history", "--status", "missed")) == [MOMENTS[1]]
