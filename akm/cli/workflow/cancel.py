"""`akm workflow cancel`: stop the driver of a run, from any terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from akm import config
from akm.cli import durations, ledger, options, output
from akm.cli.unit_ids import short_runs
from akm.views import runs

Grace = Annotated[
    str, typer.Option("--grace", metavar="TIME", help="How long to wait until it has stopped, such as 10s.")
]


def cancel(run: options.Run, grace: Grace = "10s") -> None:
    """Stop whoever drives a run: its units are ended and written down, and the run can be gone on with."""
    from akm.engine.recovery import cancelling, way_out

    seconds = durations.milliseconds(grace, "--grace") / 1000
    with ledger.opened(config.read()) as db:
        run_id = runs.resolve(db, run)
        holder = cancelling.cancel(db, run_id, grace_seconds=seconds)
        go_on = way_out.commands(db, run_id) or [f"akm workflow run {runs.root(db, run_id)}"]
    output.show({"ok": True, "runId": run_id, "stopped": holder, "wayOut": go_on}, render=_lines)


def _lines(result: dict[str, Any]) -> Iterator[str]:
    run_id = result["runId"][:8]
    process = result["stopped"].get("pid", "its process")
    go_on = short_runs(", then ".join(result["wayOut"]))
    yield f"Stopped {process}, which drove run {run_id}. Go on: {go_on}"
