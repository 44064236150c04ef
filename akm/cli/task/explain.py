"""`akm task explain`: what a task would run with, and where each value comes from."""

from __future__ import annotations

from typing import Annotated

import typer

from akm.cli import options, output, parameters
from akm.cli.task import lines

Name = Annotated[str, typer.Argument(metavar="TASK", help="A task's id or ref.")]


@options.takes_parameters
def explain(ctx: typer.Context, name: Name) -> None:
    """Show the inputs of a task, the value of each and where it comes from, without running anything."""
    from akm.cli.workflow import surroundings
    from akm.tasks import catalog
    from akm.tasks import explain as explaining

    work = surroundings.here()
    task = catalog.find(name, bundles=work.bundles, anchor=work.anchor)
    told = explaining.explained(task, parameters.given(ctx))
    output.show({"task": told}, render=lambda result: lines.of_task(result["task"]))
