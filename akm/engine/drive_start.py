"""What an invocation has in hand before it drives the first step."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

from akm import states
from akm.engine import lock, plans, progress
from akm.engine.abort import Abort
from akm.engine.budget import Spending
from akm.engine.drive import Drive
from akm.engine.ledger import Ledger
from akm.engine.lock import RunLock
from akm.engine.options import Options
from akm.engine.recovery import way_out
from akm.errors import UsageError
from akm.store.database import Database
from akm.store.sql import RunSummary
from akm.views import units


def drive_of(
    db: Database,
    row: RunSummary,
    readable: plans.Readable,
    options: Options,
    abort: Abort,
    drive_child: Callable[[str, str, Abort], str | None],
) -> Drive:
    """Gather what driving a run needs: its plan, its parameters, and what it has spent so far."""
    from akm.engine.runners.choose import runner_for

    return Drive(
        drive_child=drive_child,
        ledger=Ledger(db, row.id, options.now),
        plan=readable.plan,
        params=_params(row),
        spending=Spending.of(readable.plan, units.accounting(db, row.id)),
        abort=abort,
        environment=dict(os.environ if options.environment is None else options.environment),
        runner_for=options.runner_for or runner_for,
        observe=options.observe,
        max_concurrency=options.max_concurrency,
    )


def refuse_parked(db: Database, row: RunSummary) -> None:
    """Raise UsageError, with the way on, for a run that has to be reopened first."""
    if row.status in (states.FAILED, states.BLOCKED):
        raise UsageError(
            f"Run {row.id} is {row.status} at step {row.current_step_id}.",
            hint=f"Go on with it: {way_out.sentence(db, row.id)}.",
        )


def tell_wait(options: Options, held: RunLock, row: RunSummary) -> None:
    """Say whom a driver that was told to wait waits for, because nothing else is heard until then."""
    if options.wait_lock_ms and lock.is_locked(held.path):
        text = f"waiting up to {options.wait_lock_ms / 1000:g} s for {lock.describe(held.path)}"
        options.observe(progress.Progress("notice", row.current_step_id or "", text=text))


def _params(row: RunSummary) -> dict[str, Any]:
    try:
        params = json.loads(row.params_json)
    except ValueError:
        params = None
    if not isinstance(params, dict):
        raise UsageError(f"The parameters of run {row.id} are damaged (params_json); start it afresh.")
    return params
