"""`akm task prune`: remove rows that can fire nothing any more."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from akm.cli import output
from akm.cli.tables import Table

Yes = Annotated[bool, typer.Option("--yes", help="Remove them; without it, they are only listed.")]
Ids = Annotated[str | None, typer.Option("--id", metavar="ID,...", help="Only these rows.")]


def prune(yes: Yes = False, id: Ids = None) -> int:
    """Remove scheduled rows whose bundle, or whose akm, is gone."""
    from akm.tasks.firing import pruning
    from akm.tasks.schedulers import lock

    ids = [part.strip() for part in (id or "").split(",") if part.strip()]
    if yes:
        with lock.held():
            done = pruning.prune(ids=ids, is_preview=False)
    else:
        done = pruning.prune(ids=ids)
    output.show(done, render=_table)
    return int(not yes and bool(done["candidates"]))


def _table(result: dict[str, Any]) -> tuple[Table]:
    rows = [(row["id"], row["reason"]) for row in result["candidates"]]
    return (Table(("row", "why"), rows, "No row is dead."),)
