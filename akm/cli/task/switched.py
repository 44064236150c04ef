"""What `enable` and `disable` share: their argument, and what a switched task looks like to people."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from akm.cli import output
from akm.cli.task import sync_text

Ref = Annotated[str, typer.Argument(metavar="REF", help="The task: [<bundle>//]tasks/<id>, or its id.")]


def show(done: dict[str, Any]) -> int:
    """Show what switching a task came to, and return the exit status."""
    word = "enabled" if done["enabled"] else "disabled"
    sync_text.warn(done["sync"])
    output.show(
        done,
        render=lambda result: [f"{result['ref']} is {word}.", *sync_text.lines(result["sync"])],
    )
    return int(bool(done["sync"]["failures"]))
