"""One driver per run: the kernel's lock decides, and what is written beside it only words errors."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from threading import Timer

import pytest
from outcomes import done, said
from places import Place
from workflow_files import a_step

from akm.engine import lock, reports
from akm.engine.lock import RunLock, describe, driven, holder_path, lock_path
from akm.engine.runners.base import Dispatch, Outcome
from akm.errors import ConfigError, TransientError

AT = "2027-01-01T00:00:00.000Z"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "locks"


def test_a_second_driver_is_told_who_holds_the_run_and_since_when(folder: Path) -> None:
    first = RunLock(folder, "r")
    first.acquire(at=AT)
    with pytest.raises(TransientError) as refused:
        RunLock(folder, "r").acquire(at=AT)
    assert (refused.value.exit_status, refused.value.code) == (75, "RUN_LEASE_HELD")
    assert f"process {os.getpid()} on " in refused.value.message
    assert refused.value.message.endswith(f"since {AT}.")
    first.release()
    RunLock(folder, "r").acquire(at=AT)


def test_another_run_is_not_held(folder: Path) -> None:
    first, second = RunLock(folder, "r"), RunLock(folder, "s")
    first.acquire(at=AT)
    second.acquire(at=AT)


def test_the_lock_of_a_killed_process_is_free_at_once(folder: Path) -> None:
    script = (
        "import os, sys, signal; from pathlib import Path; from akm.engine.lock import RunLock\n"
        "held = RunLock(Path(sys.argv[1]), 'r'); held.acquire(at='then')\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    assert subprocess.run([sys.executable, "-c", script, str(folder)]).returncode == -9
    assert json.loads(holder_path(lock_path(folder, "r")).read_text())["pid"] != os.getpid()
    RunLock(folder, "r").acquire(at=AT)
    assert json.loads(holder_path(lock_path(folder, "r")).read_text())["pid"] == os.getpid()


def test_a_lock_that_outlives_its_killed_holder_for_a_moment_is_waited_for(folder: Path) -> None:
    # The child stands for one that was being started: it holds the lock until this test's pipe is closed.
    script = (
        "import os, sys, signal, subprocess; from pathlib import Path; from akm.engine.lock import RunLock\n"
        "held = RunLock(Path(sys.argv[1]), 'r'); held.acquire(at='then')\n"
        "open_files = {int(f): os.path.realpath(f'/proc/self/fd/{f}') for f in os.listdir('/proc/self/fd')}\n"
        "locks = [number for number, path in open_files.items() if path.endswith('r.lock')]\n"
        "subprocess.Popen(['cat'], stdout=subprocess.DEVNULL, pass_fds=locks)\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    with subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", script, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as killed:
        assert killed.stdout is not None
        assert killed.stdin is not None
        killed.stdout.read()
        killed.wait()
        assert lock._is_held(lock_path(folder, "r"))
        Timer(0.1, killed.stdin.close).start()
        RunLock(folder, "r").acquire(at=AT)


@pytest.mark.parametrize(
    "text", ["", "garbage", "[]", '{"pid": 1, "host": "elsewhere", "startedAt": "then"}']
)
def test_what_the_holder_file_says_decides_nothing(folder: Path, text: str) -> None:
    folder.mkdir()
    holder_path(lock_path(folder, "r")).write_text(text)
    RunLock(folder, "r").acquire(at=AT)


@pytest.mark.parametrize("text", ["", "garbage", "[]", "{}"])
def test_a_holder_that_is_not_described_is_another_process(folder: Path, text: str) -> None:
    held = RunLock(folder, "r")
    held.acquire(at=AT)
    holder_path(lock_path(folder, "r")).write_text(text)
    assert describe(lock_path(folder, "r")) == "another process"
    with pytest.raises(TransientError, match="driven by another process"):
        RunLock(folder, "r").acquire(at=AT)
    held.release()


def test_a_holder_that_cannot_be_described_holds_the_lock_all_the_same(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.mkdir()
    holder_path(lock_path(folder, "r")).write_text('{"pid": 1, "host": "h", "startedAt": "then"}')

    def full(*_arguments: object) -> None:
        raise OSError(28, "No space left on device")

    held = RunLock(folder, "r")
    with monkeypatch.context() as patch:
        patch.setattr(lock, "_write_holder", full)
        held.acquire(at=AT)
    with pytest.raises(TransientError, match="driven by another process"):
        RunLock(folder, "r").acquire(at=AT)
    held.release()
    RunLock(folder, "r").acquire(at=AT)


def test_nothing_is_left_of_the_lock_of_a_run_that_is_over(folder: Path) -> None:
    held = RunLock(folder, "r")
    held.acquire(at=AT)
    held.release(is_over=True)
    assert list(folder.iterdir()) == []
    held.release()


def test_a_folder_that_is_no_folder_is_a_fault_of_the_installation(tmp_path: Path) -> None:
    (tmp_path / "locks").write_text("")
    with pytest.raises(ConfigError) as refused:
        RunLock(tmp_path / "locks", "r").acquire(at=AT)
    assert refused.value.code == "DATA_DIR_UNREADABLE"
    assert "File exists" in refused.value.message


def test_readers_tell_which_runs_are_driven_without_touching_a_lock(folder: Path) -> None:
    held = RunLock(folder, "r")
    held.acquire(at=AT)
    lock_path(folder, "s").write_text("")
    before = {path: path.stat().st_atime_ns for path in folder.iterdir()}
    assert driven(folder, ["r", "s", "t"]) == {"r"}
    assert {path: path.stat().st_atime_ns for path in folder.iterdir()} == before
    held.release()
    assert driven(folder, ["r", "s", "t"]) == set()


def test_any_lock_can_be_asked_about(folder: Path) -> None:
    held = RunLock(folder, "r")
    held.acquire(at=AT)
    assert (lock.is_locked(lock_path(folder, "r")), lock.is_locked(lock_path(folder, "s"))) == (True, False)
    held.release()
    assert not lock.is_locked(lock_path(folder, "r"))


def test_where_the_system_lists_no_locks_the_file_itself_is_asked(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lock, "_kernel_locks", lambda: None)
    held = RunLock(folder, "r")
    held.acquire(at=AT)
    assert driven(folder, ["r", "t"]) == {"r"}
    held.release()
    assert driven(folder, ["r", "t"]) == set()


def test_a_run_is_interrupted_only_while_nobody_drives_it(place: Place) -> None:
    place.write(a_step("a"), a_step("b"))
    shown: list[dict[str, object]] = []

    def look(dispatch: Dispatch) -> Outcome:
        row = {"id": dispatch.run_id, "status": "active"}
        reports.mark_interrupted(place.db, [row])
        shown.append(row)
        return said("x")

    run_id = place.fake(look, max_steps=1).run["id"]
    assert shown == [{"id": run_id, "status": "active"}]
    afterwards = reports.detail(place.db, run_id)["run"]
    assert (afterwards["status"], afterwards["interrupted"]) == ("active", True)
    assert afterwards["next"] == f"akm workflow run {run_id}"


def test_a_driver_that_finds_the_run_ended_under_the_lock_does_nothing(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.write(a_step("a"), a_step("b"))
    run_id = place.fake(done, max_steps=1).run["id"]
    real = RunLock.acquire

    def late(held: RunLock, *, at: str, **_more: object) -> None:
        real(held, at=at)
        place.db.connection.execute("UPDATE workflow_runs SET status = 'completed'")

    monkeypatch.setattr(RunLock, "acquire", late)
    place.dispatched.clear()
    assert place.fake(done, target=run_id).run["status"] == "completed"
    assert place.dispatched == []
