"""`akm workflow run`: start a workflow, or go on with a run, and drive it until it stops."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

import typer

from akm.cli import durations, ledger, options, output, parameters, progress
from akm.cli.tables import Table
from akm.cli.unit_ids import short, short_runs
from akm.cli.workflow import output_text, usage_text
from akm.errors import TransientError, UsageError

MaxSteps = Annotated[
    int | None, typer.Option("--max-steps", metavar="N", min=1, help="Stop after this many steps.")
]
MaxRetries = Annotated[
    int,
    typer.Option("--max-retries", metavar="N", min=0, help="Resume a failed run by itself this many times."),
]
Width = Annotated[
    int | None,
    typer.Option("--max-concurrency", metavar="N", min=1, help="Run at most this many units at once."),
]
Timeout = Annotated[
    str | None, typer.Option("--timeout", metavar="TIME", help="Stop after this long, such as 10m.")
]
New = Annotated[bool, typer.Option("--new", help="Start another run even if one is active here.")]
Gates = Annotated[
    str | None,
    typer.Option(
        "--gates",
        metavar="approve",
        help="Let a person approve every judged step of the run that is started.",
    ),
]
Skip = Annotated[
    bool, typer.Option("--skip-if-locked", help="Exit 0 when another process drives the run already.")
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Show what would be dispatched and reused; do nothing.")
]
WaitLock = Annotated[
    str | None,
    typer.Option("--wait-lock", metavar="TIME", help="Wait for another driver of the run, such as 5m."),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]

_SKIPPED = {"RUN_LEASE_HELD": "lock-held", "STATE_DB_CONTENDED": "state-db-contended"}


@options.takes_parameters
def run(
    ctx: typer.Context,
    target: options.Target,
    max_steps: MaxSteps = None,
    max_retries: MaxRetries = 0,
    max_concurrency: Width = None,
    timeout: Timeout = None,
    new: New = False,
    gates: Gates = None,
    skip_if_locked: Skip = False,
    wait_lock: WaitLock = None,
    dry_run: DryRun = False,
    quiet: Quiet = False,
) -> int:
    """Start a workflow, or go on with its active run here, and drive it until it stops.

    What finished before is not repeated. Give parameters as -p name=value, or as --name value after the
    target.
    """
    from akm.cli.workflow import surroundings
    from akm.engine import driver

    if skip_if_locked and wait_lock is not None:
        raise UsageError("--skip-if-locked and --wait-lock contradict each other: give one of them.")
    timeout_ms = milliseconds(timeout, "--timeout")
    wait_lock_ms = milliseconds(wait_lock, "--wait-lock") or 0
    work = surroundings.here()
    if dry_run:
        from akm.cli.workflow import dry_run_text

        return dry_run_text.show(work, target, given=parameters.given(ctx), new=new, gates=_gates(gates))
    try:
        with ledger.opened(work.layers) as db, progress.shown(quiet=quiet) as observe:
            chosen = driver.Options(
                max_steps=max_steps,
                max_retries=max_retries,
                max_concurrency=max_concurrency,
                timeout_ms=timeout_ms,
                new=new,
                gates=_gates(gates),
                wait_lock_ms=wait_lock_ms,
                observe=observe,
                announce=output.warn,
            )
            result = driver.run(db, work, target, given=parameters.given(ctx), options=chosen)
    except TransientError as error:
        if not skip_if_locked or error.code not in _SKIPPED:
            raise
        return _skip(target, error)
    output.show(result.shown(), render=lines)
    return result.exit_status


def milliseconds(text: str | None, flag: str) -> int | None:
    """Read an optional duration. Raises UsageError naming the flag."""
    return None if text is None else durations.milliseconds(text, flag)


def _gates(text: str | None) -> Literal["judge", "approve"]:
    if text in (None, "judge"):
        return "judge"
    if text != "approve":
        raise UsageError(f"--gates is {text!r}: give approve, or judge, which is the default.")
    return "approve"


def _skip(target: str, error: TransientError) -> int:
    output.warn(error.message)
    skipped = {"reason": _SKIPPED[error.code or ""], "message": error.message}
    output.show(
        {"ok": True, "target": target, "skipped": skipped},
        render=lambda _result: [f"Skipped: {error.message}"],
    )
    return 0


def lines(result: dict[str, Any]) -> Iterator[str | Table]:
    """Render the result of an invocation for people."""
    run = result["run"]
    rows = [
        (
            one["stepId"],
            "not accepted" if one.get("again") else one["status"],
            one["unitCount"],
            one["failedUnits"],
        )
        for one in result["executed"]
    ]
    if rows:
        yield Table(("step", "status", "units", "failed"), rows)
    for one in result["executed"]:
        yield from (f"note: {short(notice)}" for notice in one.get("notices", ()))
        if not one["ok"]:
            yield f"{one['stepId']}: {short(one['summary'])}"
    yield from output_text.lines(result.get("output"))
    if result["usage"]["tokens"] or result["usage"]["cost"] is not None:
        yield f"Spent so far: {usage_text.line(result['usage'])}."
    yield _ending(result, run)


#: The first that is the case says why an active run was left.
_WHY = {"timedOut": "timed out", "cancelled": "was cancelled", "aborted": "stopped"}


def _ending(result: dict[str, Any], run: dict[str, Any]) -> str:
    run_id = run["id"][:8]
    if run["status"] == "completed":
        nothing = "" if result["executed"] else " already, nothing was left to do"
        return f"Run {run_id} is completed{nothing}. See it: akm workflow status {run_id}"
    if run["status"] == "active":
        why = next((words for name, words in _WHY.items() if result.get(name)), "paused")
        return f"Run {run_id} {why} at step {run['currentStepId']}. Go on: akm workflow run {run_id}"
    if result.get("approvalAwaited"):
        return (
            f"Run {run_id} waits for approval of step {run['currentStepId']}. "
            f"See it: akm workflow status {run_id}. Decide: akm workflow approve {run_id}, or reject {run_id}"
        )
    go_on = short_runs(", then ".join(result["wayOut"]))
    return f"Run {run_id} is {run['status']} at step {run['currentStepId']}. Go on: {go_on}"
