"""Waiting for a run that another process drives: for how long, what it keeps waiting, what comes after."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest
from builders import dump
from places import Place
from workflow_files import a_step

from akm.engine.lock import RunLock
from akm.engine.progress import Progress
from akm.errors import TransientError, UsageError
from akm.services import runs

AT = "2027-01-15T08:00:00.000Z"
HOLD = """
import sys
from pathlib import Path
from akm.engine.lock import RunLock
lock = RunLock(Path(sys.argv[1]), sys.argv[2])
lock.acquire(at="2027-01-15T08:00:00.000Z")
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def run_id(place: Place) -> str:
    """A run that was stopped before its last step."""
    place.write(a_step("a"), a_step("b"))
    return str(place.run(max_steps=1).run["id"])


@pytest.fixture
def holder(place: Place, run_id: str) -> Iterator[subprocess.Popen[str]]:
    """A process that holds the run until its standard input ends."""
    command = [sys.executable, "-c", HOLD, str(place.locks), run_id]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_the_run_of_a_driver_that_is_killed_meanwhile_is_gone_on_with(
    place: Place, run_id: str, holder: subprocess.Popen[str]
) -> None:
    def kill(news: Progress) -> None:
        if news.kind == "notice":
            holder.send_signal(signal.SIGKILL)

    result = place.run(run_id, wait_lock_ms=60_000, observe=kill)
    assert (result.exit_status, result.run["status"]) == (0, "completed")


def test_a_run_that_is_abandoned_meanwhile_is_refused_with_the_way_on(
    place: Place, run_id: str, holder: subprocess.Popen[str]
) -> None:
    def abandon(news: Progress) -> None:
        if news.kind == "notice":
            runs.abandon(place.db, run_id, at=AT)
            assert holder.stdin is not None
            holder.stdin.close()

    with pytest.raises(UsageError, match="is failed") as refused:
        place.run(run_id, wait_lock_ms=60_000, observe=abandon)
    assert f"akm workflow resume {run_id}" in str(refused.value.hint)


def test_whoever_waited_in_vain_wrote_nothing(
    place: Place, run_id: str, holder: subprocess.Popen[str]
) -> None:
    before = dump(place.db)
    with pytest.raises(TransientError) as refused:
        place.run(run_id, wait_lock_ms=50)
    assert (refused.value.code, str(holder.pid) in refused.value.message) == ("RUN_LEASE_HELD", True)
    assert dump(place.db) == before


def test_others_write_while_somebody_waits(place: Place, run_id: str, holder: subprocess.Popen[str]) -> None:
    def start_another(news: Progress) -> None:
        if news.kind == "notice":
            place.write(a_step("x"), name="other")
            assert place.run("other").exit_status == 0

    with pytest.raises(TransientError):
        place.run(run_id, wait_lock_ms=50, observe=start_another)
    assert holder.poll() is None


def test_nobody_is_said_to_be_waited_for_where_the_run_is_free(place: Place, run_id: str) -> None:
    heard: list[Progress] = []
    assert place.run(run_id, wait_lock_ms=60_000, observe=heard.append).exit_status == 0
    assert [news for news in heard if news.kind == "notice"] == []


def test_nothing_is_waited_for_unless_it_is_asked_for(place: Place, run_id: str) -> None:
    held = RunLock(place.locks, run_id)
    held.acquire(at=AT)
    heard: list[Progress] = []
    try:
        with pytest.raises(TransientError):
            place.run(run_id, observe=heard.append)
    finally:
        held.release()
    assert heard == []
