"""`akm task disable`: switch a task's schedule off."""

from __future__ import annotations

from typing import Annotated

import typer

from akm.cli import output

Ref = Annotated[str, typer.Argument(metavar="REF", help="The task: [<bundle>//]tasks/<id>, or its id.")]


def disable(ref: Ref) -> int:
    """Switch a task's schedule off, and bring the scheduler up to date."""
    from akm.cli.task import sync_text
    from akm.tasks import switching

    done = switching.disable(ref)
    sync_text.warn(done["sync"])
    output.show(
        done,
        render=lambda result: [f"{result['ref']} is disabled.", *sync_text.lines(result["sync"])],
    )
    return int(bool(done["sync"]["failures"]))
