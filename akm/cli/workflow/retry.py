"""`akm workflow retry`: reopen a run and drive it, in one go."""

from __future__ import annotations

from typing import Annotated

import typer

from akm import clock, states
from akm.cli import ledger, options, output, progress
from akm.cli.workflow import run as running
from akm.cli.workflow.resume import Cascade
from akm.errors import UsageError
from akm.store.database import Database
from akm.views import runs as run_views

FailedOnly = Annotated[
    bool,
    typer.Option(
        "--failed-only", help="Do only the failed items again of a step that went on without them, in a fork."
    ),
]


def retry(
    run: options.Run,
    failed_only: FailedOnly = False,
    cascade: Cascade = False,
    max_concurrency: running.Width = None,
    timeout: running.Timeout = None,
    wait_lock: running.WaitLock = None,
    quiet: running.Quiet = False,
) -> int:
    """Make a failed or blocked run active again and drive it until it stops."""
    from akm.cli.workflow import surroundings
    from akm.engine import driver

    if failed_only and cascade:
        raise UsageError("--failed-only starts a fork, which has no children to reopen: give one of them.")
    # Read before anything is reopened or forked, so that a wrong flag writes nothing.
    timeout_ms = running.milliseconds(timeout, "--timeout")
    wait_lock_ms = running.milliseconds(wait_lock, "--wait-lock") or 0
    work = surroundings.here()
    with ledger.opened(work.layers) as db, progress.shown(quiet=quiet) as observe:
        run_id = _fork(db, run) if failed_only else _reopened(db, run, cascade=cascade)
        chosen = driver.Options(
            max_concurrency=max_concurrency,
            timeout_ms=timeout_ms,
            wait_lock_ms=wait_lock_ms,
            observe=observe,
            announce=output.warn,
        )
        result = driver.run(db, work, run_id, options=chosen)
    output.show(result.shown(), render=running.lines)
    return result.exit_status


def _reopened(db: Database, text: str, *, cascade: bool) -> str:
    from akm.engine import reopening, runs_below

    run_id = run_views.resolve(db, text)
    if cascade:
        runs_below.resume(db, run_id, now=clock.now)
    if run_views.head(db, run_id).status in (states.FAILED, states.BLOCKED):
        reopening.reopen(db, run_id, at=clock.now())
    return run_id


def _fork(db: Database, text: str) -> str:
    from akm.engine.recovery import forking

    run_id = run_views.resolve(db, text)
    step_id = forking.partly_failed(db, run_id)
    made = forking.fork(db, run_id, step_id, at=clock.now(), failed_only=True)
    output.tell(f"Forked as run {made.run_id[:8]}, from step {step_id}.")
    return made.run_id
