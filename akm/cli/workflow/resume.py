"""`akm workflow resume`: make a failed or blocked run active again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from akm import clock, config
from akm.cli import ledger, options, output
from akm.cli.tables import Table
from akm.cli.workflow.status import lines
from akm.engine import reports
from akm.services import runs
from akm.views.runs import resolve


def resume(run: options.Run) -> None:
    """Make a failed or blocked run active again. Nothing is executed: `akm workflow run` goes on with it."""
    with ledger.opened(config.read()) as db:
        run_id = resolve(db, run)
        changed = runs.resume(db, run_id, at=clock.now())
        shown = reports.detail(db, run_id)
    output.show({"ok": True, "changed": changed, **shown}, render=_lines)


def _lines(result: dict[str, Any]) -> Iterator[str | Table]:
    state = "again" if result["changed"] else "already, so nothing was changed"
    yield f"Run {result['run']['id'][:8]} is active {state}.\n"
    yield from lines(result)
