"""`akm workflow reject`: a person does not accept a step that waits for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from akm import clock, config
from akm.cli import ledger, options, output
from akm.cli.tables import Table
from akm.cli.workflow import deciding
from akm.cli.workflow.status import lines
from akm.views.runs import resolve


def reject(
    run: options.Run, step: deciding.Step = None, note: deciding.Note = None, by: deciding.By = None
) -> None:
    """Send a step that waits for approval back with the note as feedback, or fail it when no loop is left."""
    from akm.engine import reports
    from akm.engine.gates import approvals

    with ledger.opened(config.read()) as db:
        run_id = resolve(db, run)
        approvals.reject(db, run_id, step, by=deciding.name(by), at=clock.now(), note=note)
        shown = reports.detail(db, run_id)
    output.show({"ok": True, **shown}, render=_lines)


def _lines(result: dict[str, Any]) -> Iterator[str | Table]:
    yield f"Rejected. {deciding.next_step(result)}\n"
    yield from lines(result)
