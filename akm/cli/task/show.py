"""`akm task show`: what one task file means, also one of an older version."""

from __future__ import annotations

from typing import Annotated

import typer

from akm.cli import output
from akm.cli.task import lines

Name = Annotated[str, typer.Argument(metavar="TASK", help="A task's id or ref.")]


def show(name: Name) -> None:
    """Show what a task file means. One of an older version is shown with the reason why it is not run."""
    from akm.engine import workplace
    from akm.tasks import catalog, listing

    work = workplace.here()
    file = catalog.locate(name, bundles=work.bundles, anchor=work.anchor)
    output.show({"task": listing.shown(file)}, render=lambda result: lines.of_task(result["task"]))
