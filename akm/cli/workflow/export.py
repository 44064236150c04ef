"""`akm workflow export`: one run as a JSON file."""

from __future__ import annotations

from typing import Annotated

import typer

from akm import config, paths
from akm.cli import ledger, options, output
from akm.engine.care import exporting
from akm.views.runs import resolve

Out = Annotated[str | None, typer.Option("--out", metavar="FILE", help="Write a file and not the output.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite the file if it exists.")]


def export(run: options.Run, out: Out = None, force: Force = False) -> None:
    """Write one run with its steps, units, attempts, events and children as JSON, for `import`."""
    with ledger.opened(config.read()) as db:
        run_id = resolve(db, run)
        if out is None:
            output.raw(exporting.text(db, run_id))
            return
        done = exporting.write(db, run_id, paths.absolute(out, paths.working_directory()), force=force)
    output.show(
        {"ok": True, **done},
        render=lambda result: [f"Run {result['run']} is in {result['file']}: {result['bytes']:,} bytes."],
    )
