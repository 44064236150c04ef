"""What approving and rejecting have in common: their options, who decides, and what comes next."""

from __future__ import annotations

import os
from typing import Annotated, Any

import typer

from akm.cli.unit_ids import short_runs

Step = Annotated[
    str | None,
    typer.Argument(metavar="[STEP]", help="The step that waits, to be sure that it is still this one."),
]
Note = Annotated[
    str | None, typer.Option("--note", metavar="TEXT", help="Why; a rejected step gets it as feedback.")
]
By = Annotated[
    str | None, typer.Option("--by", metavar="NAME", help="Who decides, instead of the user of this process.")
]


def name(given: str | None) -> str:
    """Name who decides: as given, else the user of this process."""
    if given:
        return given
    import getpass

    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return f"uid {os.getuid()}"


def next_step(result: dict[str, Any]) -> str:
    """Say how to go on after a decision; of a child, how the run above it goes on."""
    run = result["run"]
    way_out = short_runs(", then ".join(result.get("wayOut", [])))
    if run["status"] == "failed":
        return f"No loop was left, so the run is failed. Once more: {way_out}"
    if way_out:
        return f"The run is {run['status']}. Go on: {way_out}"
    if run["status"] == "active":
        return f"Go on: akm workflow run {run['id'][:8]}"
    return f"The run is {run['status']}."
