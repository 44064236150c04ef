"""`akm workflow approve`: a person accepts a step that waits for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from akm import clock, config
from akm.cli import ledger, options, output
from akm.cli.tables import Table
from akm.cli.workflow import deciding
from akm.cli.workflow.status import lines
from akm.views.runs import resolve

Value = Annotated[
    str | None, typer.Option("--value", metavar="JSON", help="What later steps get as steps.<id>.approval.")
]


def approve(
    run: options.Run,
    step: deciding.Step = None,
    note: deciding.Note = None,
    value: Value = None,
    by: deciding.By = None,
) -> None:
    """Complete a step that waits for approval. Nothing is executed: `akm workflow run` goes on."""
    from akm.engine import reports
    from akm.engine.gates import approvals

    given = approvals.load_value(value)
    with ledger.opened(config.read()) as db:
        run_id = resolve(db, run)
        name = deciding.name(by)
        approvals.approve(db, run_id, step, by=name, at=clock.now(), note=note, value=given)
        shown = reports.detail(db, run_id)
    output.show({"ok": True, **shown}, render=_lines)


def _lines(result: dict[str, Any]) -> Iterator[str | Table]:
    yield f"Approved. {deciding.next_step(result)}\n"
    yield from lines(result)
