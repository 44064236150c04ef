"""One child process: its pipes, its end, and the end that is made for it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from runner_dispatches import python

from akm.engine.abort import Abort
from akm.engine.runners import process_group, supervision
from akm.engine.runners.capture import Head, Tail
from akm.engine.runners.patience import Patience
from akm.engine.runners.process import Exit, supervise

#: A grandchild that ignores SIGTERM, keeps the pipes, writes its pid to the file and stays.
STUBBORN = (
    "trap '' TERM; (trap '' TERM; sh -c 'echo $PPID' > \"$0\"; while :; do sleep 0.05; done) & "
    'while [ ! -s "$0" ]; do sleep 0.01; done; {then}'
)


@pytest.fixture
def abort() -> Iterator[Abort]:
    made = Abort()
    yield made
    made.close()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the waits; which wait ends what stays the same."""
    monkeypatch.setattr(supervision, "PATIENCE", Patience(drain_ms=150, terminate_ms=200, kill_ms=2000))


def start(abort: Abort, *argv: str, stdin: bytes | None = None, timeout_ms: int | None = 60_000) -> Exit:
    program = argv[0] if "/" in argv[0] else f"/bin/{argv[0]}"
    return supervise(
        argv, program=program, cwd="/", env=dict(os.environ), stdin=stdin, timeout_ms=timeout_ms, abort=abort
    )


def is_running(pid: int) -> bool:
    """Tell whether the process exists and is more than an entry that nobody has reaped."""
    listed = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True)
    return listed.stdout.strip()[:1] not in ("", "Z")


def ends(pid: int) -> bool:
    """Tell whether the process is gone by now or soon: a signal takes effect when the kernel gets to it."""
    for _look in range(200):
        if not is_running(pid):
            return True
        time.sleep(0.01)
    return False


def test_exit_status_and_both_outputs_are_reported(abort: Abort) -> None:
    end = start(abort, "sh", "-c", "echo out; echo err >&2; exit 3")
    assert (end.status, bytes(end.stdout.data), bytes(end.stderr.data)) == (3, b"out\n", b"err\n")
    assert end.stdout.is_complete
    assert end.stderr.is_complete
    assert not end.was_aborted
    assert not end.timed_out


def test_input_larger_than_a_pipe_is_written_while_the_echo_is_read(abort: Abort) -> None:
    text = b"0123456789" * 200_000
    assert bytes(start(abort, "cat", stdin=text).stdout.data) == text


def test_child_that_does_not_read_its_input_is_no_fault(abort: Abort) -> None:
    end = start(abort, "sh", "-c", "exec <&-; echo done", stdin=b"x" * 2_000_000)
    assert (end.status, bytes(end.stdout.data)) == (0, b"done\n")


_KILLED = """
import os, signal, sys
from akm.engine.abort import Abort
from akm.engine.runners import process
from akm.engine.runners.supervision import Supervision

Supervision.run = lambda self: os.kill(os.getpid(), signal.SIGKILL)
reader = 'wc -c > "$0.now"; mv "$0.now" "$0"'
process.supervise(["sh", "-c", reader, sys.argv[1]], program="/bin/sh", cwd="/", env=dict(os.environ),
                  stdin=b"x" * 3_000_000, timeout_ms=None, abort=Abort())
"""


def test_a_child_has_all_of_its_input_although_its_driver_was_killed(tmp_path: Path) -> None:
    count = tmp_path / "count"
    driver = subprocess.run([sys.executable, "-c", _KILLED, str(count)], check=False)
    assert driver.returncode == -9
    deadline = time.monotonic() + 30
    while not count.exists():
        assert time.monotonic() < deadline, "the child never came to the end of its input"
        time.sleep(0.01)
    assert int(count.read_text()) == 3_000_000


def test_input_goes_through_a_file_where_memory_has_none(
    abort: Abort, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "memfd_create")
    assert bytes(start(abort, "cat", stdin=b"a letter").stdout.data) == b"a letter"


def test_without_input_standard_input_is_at_its_end(abort: Abort) -> None:
    assert start(abort, "cat").status == 0


def test_child_leads_a_process_group_of_its_own(abort: Abort) -> None:
    end = start(abort, *python("import os; print(os.getpid() == os.getpgid(0) == os.getsid(0))"))
    assert bytes(end.stdout.data) == b"True\n"


@pytest.mark.usefixtures("impatient")
def test_timeout_kills_a_grandchild_that_ignores_term_and_holds_the_pipe(
    abort: Abort, tmp_path: Path
) -> None:
    note = tmp_path / "pid"
    end = start(abort, "sh", "-c", STUBBORN.format(then="wait"), str(note), timeout_ms=800)
    assert end.timed_out
    assert not end.was_aborted
    assert ends(int(note.read_text()))


@pytest.mark.usefixtures("impatient")
def test_timeout_kills_the_grandchild_also_when_the_child_itself_obeys_term(
    abort: Abort, tmp_path: Path
) -> None:
    note = tmp_path / "pid"
    end = start(
        abort, "sh", "-c", STUBBORN.format(then="trap - TERM; exec sleep 60"), str(note), timeout_ms=800
    )
    assert end.timed_out
    assert ends(int(note.read_text()))


def test_group_of_the_dead_that_nobody_reaps_is_not_alive() -> None:
    child = subprocess.Popen(["sleep", "60"], start_new_session=True)
    assert process_group.is_alive(child.pid)
    process_group.kill(child.pid)
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert not process_group.is_alive(child.pid)
    assert child.wait() == -9


def test_group_that_obeys_term_is_not_waited_for_any_longer(
    abort: Abort, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Were it waited for, this would not end within the test run.
    monkeypatch.setattr(supervision, "PATIENCE", Patience(terminate_ms=3_600_000))
    end = start(abort, "sh", "-c", "sleep 60 & sleep 50", timeout_ms=200)
    assert (end.timed_out, end.status) == (True, -15)


@pytest.mark.usefixtures("impatient")
def test_descendant_in_another_session_cannot_hang_the_call(abort: Abort, tmp_path: Path) -> None:
    note = tmp_path / "pid"
    code = (
        "import os, sys, time\n"
        "if os.fork() == 0:\n"
        "    os.setsid(); open(sys.argv[1], 'w').write(str(os.getpid())); time.sleep(30)\n"
        "time.sleep(60)"
    )
    end = start(abort, *python(code), str(note), timeout_ms=1500)
    assert end.timed_out
    assert not end.stdout.is_complete
    os.kill(int(note.read_text()), 9)


def test_abort_ends_the_child_and_is_told_from_a_timeout(abort: Abort, tmp_path: Path) -> None:
    pipe = tmp_path / "started"
    os.mkfifo(pipe)
    threading.Thread(target=lambda: (pipe.read_text(), abort.set("SIGINT"))).start()
    end = start(abort, "sh", "-c", f"echo > {pipe}; sleep 60")
    assert (end.was_aborted, end.timed_out) == (True, False)


@pytest.mark.usefixtures("impatient")
def test_abort_during_the_end_after_a_timeout_wins(abort: Abort, tmp_path: Path) -> None:
    pipe = tmp_path / "terminated"
    os.mkfifo(pipe)
    threading.Thread(target=lambda: (pipe.read_text(), abort.set("SIGINT"))).start()
    end = start(abort, "sh", "-c", f"trap 'echo > {pipe}' TERM; while :; do sleep 0.05; done", timeout_ms=100)
    assert end.timed_out
    assert end.was_aborted


def test_nothing_starts_once_the_abort_is_set(abort: Abort, tmp_path: Path) -> None:
    abort.set("SIGINT")
    end = start(abort, "touch", str(tmp_path / "marker"))
    assert end.was_aborted
    assert not end.started
    assert not (tmp_path / "marker").exists()


@pytest.mark.usefixtures("impatient")
def test_descendant_that_keeps_stdout_makes_it_incomplete_and_is_killed(abort: Abort) -> None:
    end = start(abort, "sh", "-c", "sleep 60 2>/dev/null & echo $!")
    assert (end.status, end.stdout.is_complete, end.stderr.is_complete) == (0, False, True)
    assert ends(int(end.stdout.data))


@pytest.mark.usefixtures("impatient")
def test_descendant_that_keeps_only_stderr_is_left_alone(abort: Abort) -> None:
    end = start(abort, "sh", "-c", "sleep 60 >/dev/null & echo $!")
    assert (end.status, end.stdout.is_complete, end.stderr.is_complete) == (0, True, False)
    assert is_running(int(end.stdout.data))
    os.kill(int(end.stdout.data), 9)


def test_stop_after_the_end_does_not_lose_the_result(abort: Abort, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervision, "PATIENCE", Patience(drain_ms=3_600_000))
    notice = supervision.Supervision._notice_exit

    def notice_and_abort(self: supervision.Supervision) -> None:
        notice(self)
        abort.set("SIGINT")

    monkeypatch.setattr(supervision.Supervision, "_notice_exit", notice_and_abort)
    end = start(abort, "sh", "-c", "sleep 60 >/dev/null & echo $!")
    os.kill(int(end.stdout.data), 9)
    assert (end.status, end.was_aborted, end.stdout.is_complete) == (0, False, True)


def test_everything_works_without_descriptors_for_processes(
    abort: Abort, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "pidfd_open", raising=False)
    assert start(abort, "sh", "-c", "exec >&- 2>&-; sleep 0.1; exit 4").status == 4
    assert start(abort, "sleep", "60", timeout_ms=50).timed_out


def test_fifty_at_once_leave_no_descriptor_behind(abort: Abort) -> None:
    def one(number: int) -> bytes:
        return bytes(start(abort, "cat", stdin=b"%d" % number).stdout.data)

    before = len(os.listdir("/proc/self/fd"))
    with ThreadPoolExecutor(50) as pool:
        assert list(pool.map(one, range(50))) == [b"%d" % number for number in range(50)]
    assert len(os.listdir("/proc/self/fd")) == before


def test_memory_stays_bounded_while_300_megabytes_are_printed() -> None:
    code = """
import os, resource
from akm.engine.abort import Abort
from akm.engine.runners.process import supervise
def peak(count):
    argv = ["head", "-c", str(count), "/dev/zero"]
    end = supervise(
        argv, program="/usr/bin/head", cwd="/", env={}, stdin=None, timeout_ms=None, abort=Abort()
    )
    return end.stdout.written, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
_, before = peak(1)
written, after = peak(300_000_000)
print(written, (after - before) // 1024)
"""
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    written, grown_mib = map(int, told.stdout.split())
    assert written == 300_000_000
    assert grown_mib < 32


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 7])
def test_kept_beginning_is_cut_between_characters(size: int) -> None:
    head = Head(limit=size)
    for byte in "aé€😀b".encode():
        head.take(bytes([byte]))
    assert head.data.decode() == "aé€😀b".encode()[:size].decode("utf-8", "ignore")
    assert (head.written, head.discarded) == (11, 11 - len(head.data))


def test_output_of_exactly_the_limit_is_whole() -> None:
    head = Head(limit=5)
    head.take("a😀".encode())
    assert (head.data.decode(), head.discarded) == ("a😀", 0)


def test_kept_end_is_marked_and_starts_with_a_line() -> None:
    tail = Tail(limit=100)
    for number in range(1000):
        tail.take(b"line %d\n" % number)
    text = tail.text(50)
    assert text.startswith("…line 99")
    assert text.endswith("line 999")
    assert len(tail.data) <= 800
