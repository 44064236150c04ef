"""The drive loop: take the run's lock, execute its steps one after the other, give the lock back."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing, nullcontext
from dataclasses import replace
from functools import partial
from typing import Any

from akm import states
from akm.engine import lock, plans, progress, sources
from akm.engine.abort import Abort
from akm.engine.deadline import Deadline
from akm.engine.drive import Drive
from akm.engine.drive_start import drive_of, refuse_parked, tell_wait
from akm.engine.lock import RunLock
from akm.engine.options import Options
from akm.engine.outputs import short_output
from akm.engine.recovery import way_out
from akm.engine.recovery.cancelling import Watch
from akm.engine.result import RunResult
from akm.engine.signals import stopping
from akm.engine.start import Flags, start
from akm.engine.step import execute
from akm.engine.target import Existing, resolve
from akm.engine.workplace import Workplace
from akm.errors import UsageError
from akm.services import runs
from akm.store.database import Database
from akm.views import runs as run_views
from akm.views import usage

__all__ = ["Options", "run"]


def run(
    db: Database,
    work: Workplace,
    text: str,
    *,
    given: Flags | dict[str, Any] = (),
    options: Options | None = None,
) -> RunResult:
    """Start the workflow, or go on with the run, that `text` names, and drive it until it stops.

    Raises TransientError RUN_LEASE_HELD when somebody drives it already, UsageError when it is parked, and
    whatever starting raises. Unit failures are in the result.
    """
    options = options or Options()
    target = resolve(db, work, text, new=options.new, has_params=bool(given))
    warnings: tuple[str, ...] = ()
    if isinstance(target, Existing):
        _refuse_gates(options, target.run_id)
        run_id, is_resumed = target.run_id, True
    else:
        run_id, warnings = start(
            db, work, target, given=given, new=options.new, at=options.now(), gates=options.gates
        )
        is_resumed = False
    _announce(options, warnings)
    result = _drive(db, work, run_id, options, is_resumed=is_resumed)
    result.warnings[:0] = warnings
    result.usage = usage.of_run(db, run_id)
    if not result.way_out and result.run["status"] in (states.FAILED, states.BLOCKED):
        result.way_out = way_out.commands(db, run_id)
    return result


def _refuse_gates(options: Options, run_id: str) -> None:
    if options.gates != "judge":
        raise UsageError(
            f"Run {run_id} exists already, and who judges it was decided when it was started.",
            hint="Start another run with --new --gates approve.",
        )


def _drive(
    db: Database,
    work: Workplace,
    run_id: str,
    options: Options,
    *,
    is_resumed: bool,
    parent: Abort | None = None,
) -> RunResult:
    """Drive a run under its lock. With a parent's abort, signals are the parent's to catch."""
    row = run_views.head(db, run_id)
    if row.status == states.COMPLETED:
        return RunResult(run_views.summary(row), is_resumed=is_resumed)
    refuse_parked(db, row)
    held = RunLock(lock.folder(db.path), run_id)
    tell_wait(options, held, row)
    held.acquire(at=options.now(), wait_seconds=options.wait_lock_ms / 1000)
    watch = Watch(held.path)
    is_over = False
    try:
        signals = stopping if parent is None else nullcontext
        with closing(Abort(parent)) as abort, signals(abort), Deadline(abort, options.timeout_ms):
            abort.watch = watch
            result = _hold(db, work, run_id, options, abort, is_resumed=is_resumed)
        is_over = result.run["status"] == states.COMPLETED
        return result
    finally:
        watch.forget()
        held.release(is_over=is_over)


def _hold(
    db: Database, work: Workplace, run_id: str, options: Options, abort: Abort, *, is_resumed: bool
) -> RunResult:
    """Drive a run whose lock is held."""
    # Read again under the lock: its last driver may have ended it a moment ago.
    row = run_views.head(db, run_id)
    result = RunResult(run_views.summary(row), is_resumed=is_resumed)
    if row.status == states.COMPLETED:
        return result
    refuse_parked(db, row)
    readable = plans.read(db, run_id, row.workflow_ref, at=options.now())
    if isinstance(readable, str):
        result.warnings.append(readable)
        _announce(options, result.warnings)
    else:
        drifted = sources.drift(work, row.workflow_ref, readable.plan) if is_resumed else None
        result.warnings.extend(text for text in (readable.warning, drifted) if text)
        _announce(options, result.warnings)
        _loop(
            drive_of(db, row, readable, options, abort, partial(_drive_child, db, work, options)),
            options,
            result,
        )
    result.run = run_views.summary(run_views.head(db, run_id))
    if isinstance(readable, str):
        result.way_out = [plans.anew(row.workflow_ref)]
    elif result.run["status"] == states.COMPLETED:
        result.output = short_output(db, run_id, readable.plan.steps[-1].step_id)
    result.aborted_by = abort.reason if abort.reason != "run_ended" else None
    return result


def _announce(options: Options, warnings: Iterable[str]) -> None:
    for warning in warnings:
        options.announce(warning)


def _drive_child(
    db: Database, work: Workplace, options: Options, run_id: str, step_id: str, parent: Abort
) -> str | None:
    """Drive a child run as any other, to its own end, and return what stopped it."""
    observe = progress.below(options.observe, step_id)
    own = replace(options, max_steps=None, max_retries=0, timeout_ms=None, new=False, observe=observe)
    return _drive(db, work, run_id, own, is_resumed=False, parent=parent).aborted_by


def _loop(drive: Drive, options: Options, result: RunResult) -> None:
    """Execute step after step, and resume a failed run while retries remain."""
    retries = options.max_retries
    while True:
        _steps(drive, options, result)
        row = run_views.head(drive.ledger.db, drive.ledger.run_id)
        may_retry = row.status == states.FAILED and result.executed and not drive.abort.is_set
        if not may_retry or retries <= 0 or _is_spent(options, result):
            return
        # A hard failure stays one: the budget is spent, or a unit that ran would be run once more.
        if result.executed[-1].ending != "failed" or result.executed[-1].is_hard:
            return
        retries -= 1
        runs.resume(drive.ledger.db, drive.ledger.run_id, at=drive.ledger.now())


def _steps(drive: Drive, options: Options, result: RunResult) -> None:
    while not _is_stopped(drive.abort) and not _is_spent(options, result):
        row = run_views.head(drive.ledger.db, drive.ledger.run_id)
        if row.status != states.ACTIVE or row.current_step_id is None:
            return
        step = drive.plan.step(row.current_step_id)
        if step is None:
            raise UsageError(f"The plan of run {row.id} has no step {row.current_step_id}.")
        result.executed += execute(drive, step)
        if not result.executed[-1].goes_on:
            return


def _is_stopped(abort: Abort) -> bool:
    abort.look()
    return abort.is_set


def _is_spent(options: Options, result: RunResult) -> bool:
    return options.max_steps is not None and result.steps_processed >= options.max_steps
