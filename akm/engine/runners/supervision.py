"""The loop that stays with one running child: one poll over its pipes, its exit and the abort."""

from __future__ import annotations

import fcntl
import os
import subprocess
from functools import partial
from math import ceil
from time import monotonic
from typing import IO, cast

from akm.engine.abort import Abort
from akm.engine.runners import process_group
from akm.engine.runners.capture import Head, Tail
from akm.engine.runners.patience import Patience, Stage
from akm.engine.runners.watch import Watch

CHUNK = 256 * 1024
#: What a pipe usually holds, and what one holds here once a child has filled it.
NARROW = 64 * 1024
WIDE = 1024 * 1024
#: The system's poll takes no more; whoever waits for longer looks again.
_LONGEST_WAIT_MS = 2**31 - 1
PATIENCE = Patience()


class Supervision:
    """Holds one child and its descriptors until `run` returns."""

    def __init__(self, child: subprocess.Popen[bytes], *, timeout_ms: int | None, abort: Abort) -> None:
        self.child = child
        self.stdout = Head()
        self.stderr = Tail()
        #: Whether the child was ended from here rather than by itself.
        self.was_stopped = False
        self.timed_out = False
        self._abort = abort
        self._patience = PATIENCE
        self._stage = Stage.RUNNING
        self._deadline = None if timeout_ms is None else monotonic() + timeout_ms / 1000
        self._has_exited = False
        self._watched = Watch()
        self._pidfd = _open_pidfd(child.pid)

    def run(self) -> None:
        """Stay with the child until its end and give every descriptor back."""
        try:
            self._watch()
            while self._stage is not Stage.OVER:
                happened = self._watched.look(self._wait_ms())
                self._advance(is_idle=not happened)
            self._settle()
        except BaseException:
            process_group.kill(self.child.pid)
            raise
        finally:
            self._close()

    def _watch(self) -> None:
        child = self.child
        stdout, stderr = cast("IO[bytes]", child.stdout), cast("IO[bytes]", child.stderr)
        add = self._watched.add
        add(stdout.fileno(), partial(self._read, stdout, self.stdout))
        add(stderr.fileno(), partial(self._read, stderr, self.stderr))
        add(self._abort.fileno(), self._notice_abort)
        if self._pidfd is not None:
            add(self._pidfd, self._notice_exit)

    def _wait_ms(self) -> int | None:
        wait = None
        if self._deadline is not None:
            wait = min(_LONGEST_WAIT_MS, max(0, ceil((self._deadline - monotonic()) * 1000)))
        if not self._must_look():
            return wait
        look = self._patience.look_ms
        return look if wait is None else min(look, wait)

    def _must_look(self) -> bool:
        """Tell whether something is awaited that no descriptor announces."""
        if self._stage is Stage.RUNNING:
            return self._pidfd is None
        return self._stage is not Stage.DRAINING or self._abort.is_set

    def _read(self, pipe: IO[bytes], capture: Head | Tail) -> None:
        chunk = os.read(pipe.fileno(), CHUNK)
        if chunk:
            if capture.written == 0 and len(chunk) >= NARROW:
                _widen(pipe)
            capture.take(chunk)
            return
        capture.is_complete = True
        self._drop(pipe)

    def _drop(self, pipe: IO[bytes]) -> None:
        self._watched.remove(pipe.fileno())
        pipe.close()

    def _notice_abort(self) -> None:
        # It stays readable for ever; from here on its flag is looked at.
        self._watched.remove(self._abort.fileno())

    def _notice_exit(self) -> None:
        self._has_exited = True
        if self._pidfd is not None:
            self._watched.remove(self._pidfd)
        if self._stage is Stage.RUNNING:
            self._enter(Stage.DRAINING, self._patience.drain_ms)

    def _advance(self, *, is_idle: bool) -> None:
        if not self._has_exited and self._pidfd is None and self.child.poll() is not None:
            self._notice_exit()
        if self._stage < Stage.TERMINATING:
            self._advance_own_end(is_idle=is_idle)
        elif self._has_exited and is_idle and self._is_group_gone():
            self._stage = Stage.OVER
        if self._deadline is not None and monotonic() >= self._deadline:
            self._pass_deadline()

    def _advance_own_end(self, *, is_idle: bool) -> None:
        # A stop right after the end does not lose a result that is already in the pipe.
        is_enough = self.stderr.is_complete or self._abort.is_set
        if self._has_exited and self.stdout.is_complete and is_enough:
            self._stage = Stage.OVER
        elif self._abort.is_set and (is_idle or not self._has_exited):
            self._terminate()

    def _pass_deadline(self) -> None:
        if self._stage is Stage.RUNNING:
            self.timed_out = True
            self._terminate()
        elif self._stage is Stage.TERMINATING:
            process_group.kill(self.child.pid)
            self._enter(Stage.KILLING, self._patience.kill_ms)
        else:
            self._stage = Stage.OVER

    def _terminate(self) -> None:
        self.was_stopped = True
        process_group.terminate(self.child.pid)
        self._enter(Stage.TERMINATING, self._patience.terminate_ms)

    def _enter(self, stage: Stage, lasting_ms: int) -> None:
        self._stage = stage
        self._deadline = monotonic() + lasting_ms / 1000

    def _is_group_gone(self) -> bool:
        # Reaped first: a dead leader that nobody has waited for still counts as a member.
        return self.child.poll() is not None and not process_group.is_alive(self.child.pid)

    def _settle(self) -> None:
        if not self.was_stopped and not self.stdout.is_complete:
            # Before the leader is reaped, so that its number cannot belong to anyone else yet.
            process_group.kill(self.child.pid)
        self.child.poll()

    def _close(self) -> None:
        for pipe in (self.child.stdout, self.child.stderr):
            if pipe is not None:
                pipe.close()
        if self._pidfd is not None:
            os.close(self._pidfd)


def _open_pidfd(pid: int) -> int | None:
    """Return a descriptor that is readable once the process has ended; None where the system has none."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None


def _widen(pipe: IO[bytes]) -> None:
    """Let the pipe hold more, so that a talkative child waits less, where the system allows it."""
    try:
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, WIDE)
    except (AttributeError, OSError):
        return
