"""Signals to a real driver: the unit's processes end, the attempt is closed, and the run can go on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from outcomes import broken, done, said
from places import Place
from workflow_files import a_step, sh

from akm.engine.abort import Abort
from akm.engine.runners.base import Dispatch, Outcome
from akm.engine.signals import STOPPING, stopping

FINAL_WAIT = 30


@pytest.fixture
def signs(place: Place) -> Path:
    """A named pipe through which a unit tells that it has come to a point."""
    os.mkfifo(place.root / "signs")
    return place.root / "signs"


@contextmanager
def a_driver(place: Place, *options: str) -> Iterator[subprocess.Popen[str]]:
    """Start `akm workflow run` on the place's ledger."""
    environment = {**os.environ, "AKM_DATABASE_URL": f"sqlite:///{place.db.path}"}
    command = [sys.executable, "-m", "akm", "workflow", "run", "w", *options]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=environment, stdout=pipe, stderr=pipe, text=True) as driver:
        try:
            yield driver
        finally:
            driver.kill()


def heard(signs: Path) -> str:
    """Wait for the unit's next sign."""
    return signs.read_text().strip()


def is_gone(group: int) -> bool:
    with suppress(ProcessLookupError):
        os.killpg(group, 0)
        states = [_state(pid) for pid in os.listdir("/proc") if pid.isdigit()]
        return not any(member == group and state != "Z" for state, member in states)
    return True


def _state(pid: str) -> tuple[str, int]:
    try:
        words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return words[0], int(words[2])
    except OSError:
        return "Z", 0


@pytest.mark.parametrize(("number", "status"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)])
def test_a_signal_stops_the_unit_closes_its_attempt_and_leaves_the_run_to_go_on(
    place: Place, signs: Path, number: str, status: int
) -> None:
    place.write(a_step("a", *sh("sleep 60 & echo $$ > signs; wait")))
    with a_driver(place) as driver:
        group = int(heard(signs))
        driver.send_signal(signal.Signals[number])
        assert driver.wait(FINAL_WAIT) == status
        printed = driver.stdout.read() if driver.stdout else ""
    assert '"aborted": true' in printed
    assert is_gone(group)
    assert place.attempts() == [("a:solo", 1, "failed", "aborted")]
    assert place.status() == "active"
    assert place.row("SELECT status FROM workflow_run_steps")["status"] == "pending"
    result = place.fake(done)
    assert (result.exit_status, place.dispatched[0].attempt) == (0, 2)


def test_a_second_interrupt_ends_the_driver_at_once(place: Place, signs: Path) -> None:
    script = "trap 'echo asked > signs' TERM; echo $$ > signs; while :; do sleep 0.05; done"
    place.write(a_step("a", *sh(script)))
    with a_driver(place) as driver:
        group = int(heard(signs))
        try:
            driver.send_signal(signal.SIGINT)
            assert heard(signs) == "asked"
            driver.send_signal(signal.SIGINT)
            assert driver.wait(FINAL_WAIT) == -signal.SIGINT
        finally:
            os.killpg(group, signal.SIGKILL)
    assert place.attempts() == [("a:solo", 1, "running", None)]
    assert place.fake(done).exit_status == 0
    assert place.dispatched[0].attempt == 1


def test_a_signal_that_does_not_wake_the_waiting_driver_is_heeded_all_the_same(place: Place) -> None:
    place.write(a_step("a"))

    def act(dispatch: Dispatch) -> Outcome:
        # Delivered to this thread, so that the driver's wait is not interrupted by it.
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)
        return broken("aborted") if dispatch.abort.wait(10) else said("nobody stopped me")

    result = place.fake(act)
    assert (result.exit_status, result.aborted_by) == (130, "SIGINT")
    assert place.attempts() == [("a:solo", 1, "failed", "aborted")]


def test_handlers_are_given_back(place: Place) -> None:
    before = [signal.getsignal(number) for number in STOPPING]
    place.write(a_step("a"))
    place.fake(done)
    assert [signal.getsignal(number) for number in STOPPING] == before


def test_a_signal_that_was_ignored_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    abort = Abort()
    try:
        with stopping(abort):
            os.kill(os.getpid(), signal.SIGHUP)
        assert not abort.is_set
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)
        abort.close()


def test_the_first_signal_sets_the_abort_and_takes_its_handler_away() -> None:
    abort = Abort()
    with stopping(abort):
        os.kill(os.getpid(), signal.SIGTERM)
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    assert abort.reason == "SIGTERM"
    abort.close()


def test_an_abort_that_is_closed_writes_nowhere_any_more() -> None:
    abort = Abort()
    abort.close()
    read, write = os.pipe()
    os.set_blocking(read, False)
    abort.set("late")
    with pytest.raises(BlockingIOError):
        os.read(read, 1)
    os.close(read)
    os.close(write)
