"""What approving and rejecting have in common: their options, who decides, and what comes next."""

from __future__ import annotations

import os
from typing import Annotated, Any

import typer

Step = Annotated[
    str | None,
    typer.Argument(metavar="[STEP]", help="The step that waits, to be sure that it is still this one."),
]
Note = Annotated[str | None, typer.Option("--note", help="Why; a rejected step gets it as feedback.")]
By = Annotated[str | None, typer.Option("--by", help="Who decides, instead of the user of this process.")]


def name(given: str | None) -> str:
    """Name who decides: as given, else the user of this process."""
    if given:
        return given
    import getpass

    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return f"uid {os.getuid()}"


def next_step(run: dict[str, Any], short: str) -> str:
    """Say how to go on after a decision."""
    if run["status"] == "active":
        return f"Go on: akm workflow run {short}"
    if run["status"] == "failed":
        return f"No loop was left, so the run is failed. Once more: akm workflow resume {short}"
    return f"The run is {run['status']}."
