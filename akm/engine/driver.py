"""The drive loop: take the run's lock, execute its steps one after the other, give the lock back."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from akm import clock, states
from akm.engine import lock, plans, sources
from akm.engine.abort import Abort
from akm.engine.budget import Spending
from akm.engine.deadline import Deadline
from akm.engine.drive import Drive
from akm.engine.ledger import Ledger
from akm.engine.lock import RunLock
from akm.engine.outputs import short_output
from akm.engine.progress import Observe, nobody
from akm.engine.result import RunResult
from akm.engine.runners.base import Runner
from akm.engine.signals import stopping
from akm.engine.start import Flags, start
from akm.engine.step import execute
from akm.engine.target import Existing, resolve
from akm.engine.workplace import Workplace
from akm.errors import UsageError
from akm.services import runs
from akm.store.database import Database
from akm.store.sql import RunSummary
from akm.views import runs as run_views
from akm.views import units
from akm.workflow.plan import UnitNode


@dataclass(frozen=True, slots=True)
class Options:
    """How far one invocation drives. Times in milliseconds; None is no limit.

    `runner_for` replaces the choice of runners; `observe` hears progress, `announce` each warning as soon
    as it is known (they are in the result as well); `now` is the clock.
    """

    max_steps: int | None = None
    max_retries: int = 0
    timeout_ms: int | None = None
    max_concurrency: int | None = None
    new: bool = False
    runner_for: Callable[[UnitNode], Runner | None] | None = None
    observe: Observe = nobody
    announce: Callable[[str], None] = nobody
    now: Callable[[], str] = clock.now
    environment: Mapping[str, str] | None = None


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
        run_id, is_resumed = target.run_id, True
    else:
        run_id, warnings = start(db, work, target, given=given, new=options.new, at=options.now())
        is_resumed = False
    _announce(options, warnings)
    result = _drive(db, work, run_id, options, is_resumed=is_resumed)
    result.warnings[:0] = warnings
    return result


def _drive(db: Database, work: Workplace, run_id: str, options: Options, *, is_resumed: bool) -> RunResult:
    row = run_views.head(db, run_id)
    if row.status == states.COMPLETED:
        return RunResult(run_views.summary(row), is_resumed=is_resumed)
    _refuse_parked(row)
    held = RunLock(lock.folder(db.path), run_id)
    held.acquire(at=options.now())
    is_over = False
    try:
        with closing(Abort()) as abort, stopping(abort), Deadline(abort, options.timeout_ms):
            result = _hold(db, work, run_id, options, abort, is_resumed=is_resumed)
        is_over = result.run["status"] == states.COMPLETED
        return result
    finally:
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
    _refuse_parked(row)
    readable = plans.read(db, run_id, row.workflow_ref, at=options.now())
    if isinstance(readable, str):
        result.warnings.append(readable)
        _announce(options, result.warnings)
    else:
        drifted = sources.drift(work, row.workflow_ref, readable.plan) if is_resumed else None
        result.warnings.extend(text for text in (readable.warning, drifted) if text)
        _announce(options, result.warnings)
        _loop(_drive_of(db, row, readable, options, abort), options, result)
    result.run = run_views.summary(run_views.head(db, run_id))
    if isinstance(readable, plans.Readable) and result.run["status"] == states.COMPLETED:
        result.output = short_output(db, run_id, readable.plan.steps[-1].step_id)
    result.aborted_by = abort.reason if abort.reason != "run_ended" else None
    return result


def _announce(options: Options, warnings: Iterable[str]) -> None:
    for warning in warnings:
        options.announce(warning)


def _drive_of(
    db: Database, row: RunSummary, readable: plans.Readable, options: Options, abort: Abort
) -> Drive:
    from akm.engine.runners.choose import runner_for

    spent = units.accounting(db, row.id)
    return Drive(
        ledger=Ledger(db, row.id, options.now),
        plan=readable.plan,
        params=_params(row),
        spending=Spending(readable.plan.budget, units=spent.dispatches, tokens=spent.dispatch_tokens),
        abort=abort,
        environment=dict(os.environ if options.environment is None else options.environment),
        runner_for=options.runner_for or runner_for,
        observe=options.observe,
        max_concurrency=options.max_concurrency,
    )


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
    while not drive.abort.is_set and not _is_spent(options, result):
        row = run_views.head(drive.ledger.db, drive.ledger.run_id)
        if row.status != states.ACTIVE or row.current_step_id is None:
            return
        step = drive.plan.step(row.current_step_id)
        if step is None:
            raise UsageError(f"The plan of run {row.id} has no step {row.current_step_id}.")
        result.executed += execute(drive, step)
        if result.executed[-1].ending != "advanced":
            return


def _is_spent(options: Options, result: RunResult) -> bool:
    return options.max_steps is not None and result.steps_processed >= options.max_steps


def _refuse_parked(row: RunSummary) -> None:
    if row.status in (states.FAILED, states.BLOCKED):
        raise UsageError(
            f"Run {row.id} is {row.status} at step {row.current_step_id}.",
            hint=f"Reopen it with `akm workflow resume {row.id}`, then run it again.",
        )


def _params(row: RunSummary) -> dict[str, Any]:
    try:
        params = json.loads(row.params_json)
    except ValueError:
        params = None
    if not isinstance(params, dict):
        raise UsageError(f"The parameters of run {row.id} are damaged (params_json); start it afresh.")
    return params
