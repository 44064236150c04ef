"""`akm task next`: when the tasks that are switched on fire next."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from akm.cli import output
from akm.cli.tables import Table

Id = Annotated[str | None, typer.Argument(metavar="[ID]", help="One task, switched on or not.")]
Count = Annotated[int, typer.Option("--count", metavar="N", min=1, max=1000, help="How many fires.")]


def next(id: Id = None, count: Count = 5) -> None:
    """Show when tasks fire next, in local time and in UTC."""
    from datetime import UTC, datetime

    from akm.tasks.firing import upcoming

    fires = upcoming.fires(id, count=count, after=datetime.now(UTC), complain=output.warn)
    output.show({"fires": fires}, render=_table, items="fires")


def _table(result: dict[str, Any]) -> tuple[Table]:
    rows = [(fire["local"], fire["utc"], fire["ref"], fire["schedule"]) for fire in result["fires"]]
    empty = "Nothing fires: no task with a schedule is switched on here."
    return (Table(("local time", "utc", "task", "schedule"), rows, empty),)
