"""`akm task intervals`: when a task's closed attempts ran, oldest first."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from akm.cli import durations, ledger, output
from akm.cli.tables import Table
from akm.views import task_history

Id = Annotated[str, typer.Argument(metavar="ID", help="The task.")]
Since = Annotated[str | None, typer.Option("--since", metavar="TIME", help="Started at this time, or later.")]
Until = Annotated[
    str | None, typer.Option("--until", metavar="TIME", help="Started before this time, itself left out.")
]


def intervals(id: Id, since: Since = None, until: Until = None) -> None:
    """Show when the closed attempts of a task ran, oldest first."""
    now = time.time()
    first = durations.moment(since, "--since", now) if since else ""
    before = durations.moment(until, "--until", now) if until else None
    with ledger.opened() as db:
        rows = task_history.completed_intervals(db, first, before, task_id=id)
    output.show({"ok": True, "rows": rows}, render=_table, items="rows")


def _table(result: dict[str, Any]) -> Iterator[str | Table]:
    rows = [(row["startedAt"], row["completedAt"]) for row in result["rows"]]
    yield Table(("started", "completed"), rows, "No closed attempts.")
