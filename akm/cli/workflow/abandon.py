"""`akm workflow abandon`: give a run up."""

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


def abandon(run: options.Run) -> None:
    """End an active or blocked run as failed, with its unfinished children.

    A live driver stops before its next unit.
    """
    with ledger.opened(config.read()) as db:
        run_id = resolve(db, run)
        children = runs.abandon(db, run_id, at=clock.now())
        shown = reports.detail(db, run_id)
        driver = reports.driver(db, run_id)
    if driver is not None:
        output.warn(
            f"Run {run_id} is still driven by {driver}, until the units under way have ended. "
            f"Stop them now: akm workflow cancel {run_id[:8]}"
        )
    output.show({"ok": True, "abandonedChildren": list(children), **shown}, render=_lines)


def _lines(result: dict[str, Any]) -> Iterator[str | Table]:
    children = ", ".join(child[:8] for child in result["abandonedChildren"])
    also = f", and so are its children {children}" if children else ""
    yield f"Run {result['run']['id'][:8]} is abandoned{also}.\n"
    yield from lines(result)
