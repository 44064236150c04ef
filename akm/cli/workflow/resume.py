"""`akm workflow resume`: make a failed or blocked run active again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from akm import clock, config
from akm.cli import ledger, options, output
from akm.cli.tables import Table
from akm.cli.workflow.status import lines
from akm.engine import reopening, reports, runs_below
from akm.views.runs import resolve

Cascade = Annotated[
    bool, typer.Option("--cascade", help="Reopen its blocked and failed children as well, deepest first.")
]


def resume(run: options.Run, cascade: Cascade = False) -> None:
    """Make a failed or blocked run active again. Nothing is executed: `akm workflow run` goes on with it."""
    with ledger.opened(config.read()) as db:
        run_id = resolve(db, run)
        reopened = runs_below.resume(db, run_id, now=clock.now) if cascade else []
        changed = reopening.reopen(db, run_id, at=clock.now())
        shown = reports.detail(db, run_id)
    output.show({"ok": True, "changed": changed, "resumedChildren": reopened, **shown}, render=_lines)


def _lines(result: dict[str, Any]) -> Iterator[str | Table]:
    if result["resumedChildren"]:
        yield f"Reopened first: {', '.join(child[:8] for child in result['resumedChildren'])}."
    state = "again" if result["changed"] else "already, so nothing was changed"
    yield f"Run {result['run']['id'][:8]} is active {state}.\n"
    yield from lines(result)
