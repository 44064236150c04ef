"""How an attempt ended, from what its process or its run came to. Nothing here is written or printed."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from akm import states
from akm.engine.result import RunResult
from akm.engine.runners.capture import Head
from akm.engine.runners.process import Exit
from akm.engine.runners.program import why_not_started

#: What a process counts as having exited with when its timeout ended it by a signal.
TIMED_OUT_EXIT = 143
#: A child that says "configuration" with its exit status says it for the whole command.
CONFIGURATION_EXIT = 78
_STDERR_CHARACTERS = 64 * 1024


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a dispatch. `status` is completed, active, blocked or failed.

    `lines`, `stdout` and `stderr` are for the log; a section that is None is left out. `notices` are for
    the person at the command.
    """

    status: str
    exit_status: int
    detail: Mapping[str, Any] | None = None
    lines: tuple[str, ...] = ()
    stdout: str | None = field(default=None, repr=False)
    stderr: str | None = field(default=None, repr=False)
    notices: tuple[str, ...] = ()


def of_signal(name: str | None) -> int | None:
    """Return 128 plus the number of the signal of that name; None when it is no signal's name."""
    return 128 + int(signal.Signals[name]) if name is not None and name.startswith("SIG") else None


def never_started(why: str) -> Outcome:
    """Return the end of a process whose program cannot be started."""
    return Outcome(
        states.FAILED,
        1,
        {"reason": "spawn_failed", "exitCode": None},
        (f"spawn_error={why}",),
        notices=(f"The task was not started: {why}.",),
    )


def of_process(end: Exit, *, timeout_ms: int | None, stopped_by: str | None) -> Outcome:
    """Judge the end of a process. `stopped_by` is the reason of the abort, None when there was none."""
    if end.spawn_error is not None:
        return never_started(why_not_started(end.spawn_error))
    exit_code = _exit_code(end)
    status, reason, exit_status = _verdict(end, exit_code, stopped_by)
    lines = [f"exit_code={'' if exit_code is None else exit_code}"]
    if end.timed_out:
        lines.append(f"timed_out=true timeout_ms={timeout_ms}")
    if end.was_aborted:
        lines.append(f"terminated_by={stopped_by}")
    incomplete = _incomplete(end)
    if incomplete:
        lines.append(f"output_capture_incomplete={incomplete}")
    return Outcome(
        status,
        exit_status,
        {**({"reason": reason} if reason else {}), "exitCode": exit_code},
        tuple(lines),
        _whole_lines(end.stdout),
        end.stderr.text(_STDERR_CHARACTERS),
        (f"The task's output was not kept whole ({incomplete}).",) if incomplete else (),
    )


def _verdict(end: Exit, exit_code: int | None, stopped_by: str | None) -> tuple[str, str | None, int]:
    if end.was_aborted or not end.started:
        return states.FAILED, "terminated", of_signal(stopped_by) or 1
    if end.timed_out:
        return states.FAILED, "timeout", 1
    if end.status == 0:
        return states.COMPLETED, None, 0
    if end.status is None or end.status < 0:
        return states.FAILED, "signal", 1
    return states.FAILED, "exit", CONFIGURATION_EXIT if exit_code == CONFIGURATION_EXIT else 1


def _exit_code(end: Exit) -> int | None:
    if end.status is not None and end.status >= 0:
        return end.status
    if end.timed_out:
        return TIMED_OUT_EXIT
    return None if end.status is None else 128 - end.status


def _incomplete(end: Exit) -> str | None:
    if end.stdout.discarded:
        return f"{len(end.stdout.data)} of {end.stdout.written} bytes of stdout kept"
    return "a process left behind kept stdout open" if end.started and not end.stdout.is_complete else None


def _whole_lines(stdout: Head) -> str:
    text = bytes(stdout.data).decode("utf-8", "replace")
    # Half a secret at the cut would not be recognised as one.
    return text[: text.rfind("\n") + 1] + "…" if stdout.discarded else text


def of_run(result: RunResult) -> Outcome:
    """Judge the end of a workflow's run: blocked before timed out, and completed before everything."""
    run_id, status = str(result.run["id"]), str(result.run["status"])
    verdict, reason, exit_status = _run_verdict(status, result.aborted_by)
    detail = {"runId": run_id, **({"reason": reason} if reason else {})}
    lines = [*result.warnings, f"run_id={run_id} status={status}"]
    title = result.run.get("workflowTitle")
    lines += [f"workflow_title={title}"] if title else []
    lines += [f"error={one.summary}" for one in result.executed if one.ending == "failed" and one.summary]
    return Outcome(verdict, exit_status, detail, tuple(lines), notices=_next(verdict, result))


def _run_verdict(status: str, aborted_by: str | None) -> tuple[str, str | None, int]:
    if status == states.COMPLETED:
        return states.COMPLETED, None, 0
    if status == states.BLOCKED:
        return states.BLOCKED, "blocked", 1
    if aborted_by == "timeout":
        return states.FAILED, "timeout", 1
    if aborted_by is not None:
        return states.FAILED, "terminated", of_signal(aborted_by) or 1
    if status == states.ACTIVE:
        return states.ACTIVE, None, 0
    return states.FAILED, "run_failed", 1


def _next(verdict: str, result: RunResult) -> tuple[str, ...]:
    if verdict == states.COMPLETED:
        return ()
    run_id = result.run["id"]
    go_on = ", then ".join(f"`{one}`" for one in result.way_out or [f"akm workflow run {run_id}"])
    return (f"Run {run_id} is {result.run['status']}. Go on: {go_on}.",)
