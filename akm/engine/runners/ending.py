"""Why a unit's process counts as failed, in a fixed order. What a good one wrote is not read here."""

from __future__ import annotations

import errno
import os
import signal
from dataclasses import dataclass

from akm.engine.abort import Abort
from akm.engine.redaction import NOTHING, Redaction
from akm.engine.runners.base import Outcome, failed
from akm.engine.runners.capture import Head
from akm.engine.runners.process import Exit
from akm.engine.runners.program import why_not_started
from akm.engine.runners.text import NAME, PARTIAL, STDERR_TAIL, clip
from akm.spelling import counted


@dataclass(frozen=True, slots=True)
class Command:
    """A unit's process as messages speak of it: never with its whole argv, which may hold anything.

    `redaction` is applied to what it wrote before any of that is cut.
    """

    label: str
    program: str
    arguments: int
    timeout_ms: int | None
    abort: Abort
    redaction: Redaction = NOTHING

    def __str__(self) -> str:
        """Return such as `exec unit "a:solo" ran "make" (2 arguments)`."""
        return f'{self.label} ran "{clip(self.program, NAME)}" ({counted(self.arguments, "argument")})'

    def not_started(self, why: str) -> Outcome:
        """Return the failure of a process that does not exist."""
        return failed("spawn_failed", f'{self.label} could not start "{clip(self.program, NAME)}": {why}.')


def failure(command: Command, end: Exit, *, structured: bool, reported: str | None = None) -> Outcome | None:
    """Return the failure, or None when the process did what it should.

    `structured` says that the output is parsed, which a cut one must never be. `reported` is what the process
    itself said of its failure, in place of its error output.
    """
    if end.spawn_error is not None:
        return _spawn_failure(command, end.spawn_error)
    if not end.started:
        return failed("aborted", f"{command.label} was not started: {command.abort.reason} came first.")
    stopped = _reason_to_fail(command, end)
    if stopped is not None:
        reason, how = stopped
        said = f": {reported}" if reported else f".{_stderr(command, end)}"
        return failed(reason, f"{command} and {how}{said}", text=_partial(command, end.stdout))
    if not end.stdout.is_complete:
        return failed(
            "exec_capture_incomplete",
            f"{command} and it exited, but a process it left behind kept its output open; "
            f"give that process another output or wait for it.{_stderr(command, end)}",
        )
    if structured and end.stdout.discarded:
        return failed(
            "exec_output_limit",
            f"{command} and it wrote {end.stdout.written} bytes; output that is parsed may be "
            f"{end.stdout.limit} bytes. Write the data to a file and print its path.",
        )
    return None


def _reason_to_fail(command: Command, end: Exit) -> tuple[str, str] | None:
    if end.was_aborted:
        return "aborted", f"it was stopped ({command.abort.reason})"
    if end.timed_out:
        return "timeout", f"it was stopped after its timeout of {command.timeout_ms} ms"
    if end.status is not None and end.status < 0:
        return "non_zero_exit", f"it was killed by {_signal_name(-end.status)}"
    if end.status != 0:
        return "non_zero_exit", f"it exited {end.status}"
    return None


def _spawn_failure(command: Command, error: OSError | ValueError) -> Outcome:
    if isinstance(error, OSError) and error.errno == errno.E2BIG:
        return failed(
            "exec_context_too_large",
            f"{command.label} was not started: its arguments and environment are larger than this system "
            f"takes ({_argument_limit()} bytes together, and less for a single one). "
            "Write the data to a file and pass its path.",
        )
    return command.not_started(why_not_started(error))


def _argument_limit() -> int | str:
    try:
        return os.sysconf("SC_ARG_MAX")
    except (ValueError, OSError):
        return "an unknown number of"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _stderr(command: Command, end: Exit) -> str:
    tail = end.stderr.text(STDERR_TAIL, command.redaction.text)
    return f" stderr:\n{tail}" if tail else ""


def _partial(command: Command, stdout: Head) -> str | None:
    # Four bytes a character at most, and one character more to see that there is more.
    start = bytes(stdout.data[: 4 * (PARTIAL + 1)]).decode("utf-8", "replace")
    start = command.redaction.text(start, is_cut=True)
    return clip(start.rstrip("\r\n"), PARTIAL) or None
