"""`akm workflow fork`: start a run from the middle of another one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from akm import clock, config
from akm.cli import ledger, options, output, parameters
from akm.cli.tables import Table
from akm.cli.workflow.status import lines
from akm.engine import reports
from akm.views.runs import resolve

From = Annotated[str, typer.Option("--from", metavar="STEP", help="The first step that is done again.")]
New = Annotated[bool, typer.Option("--new", help="Fork even if a run of the workflow is active there.")]


@options.takes_parameters
def fork(ctx: typer.Context, run: options.Run, from_step: From, new: New = False) -> None:
    """Start a run of the same frozen plan whose steps before STEP are taken over as they ended.

    Nothing is executed: `akm workflow run` drives it. Give other parameters as -p name=value.
    """
    from akm.engine.recovery import forking

    with ledger.opened(config.read()) as db:
        given = parameters.given(ctx)
        made = forking.fork(db, resolve(db, run), from_step, at=clock.now(), given=given, new=new)
        shown = reports.detail(db, made.run_id)
    for warning in made.warnings:
        output.warn(warning)
    output.show({"ok": True, **shown}, render=_lines)


def _lines(result: dict[str, Any]) -> Iterator[str | Table]:
    run = result["run"]
    short = run["id"][:8]
    yield f"Run {short} goes on from step {run['currentStepId']}. Drive it: akm workflow run {short}\n"
    yield from lines(result)
