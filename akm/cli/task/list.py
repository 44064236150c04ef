"""`akm task list`: the tasks of the project and of the bundles."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from akm.cli import output
from akm.cli.tables import Table


def list() -> None:
    """List the tasks of this project and of the bundles, those with a problem included."""
    from akm.engine import workplace
    from akm.tasks import listing
    from akm.tasks.firing import activation

    work = workplace.here()
    found = listing.listed(work.bundles, work.anchor, set(activation.enabled(output.warn) or ()))
    output.show({"tasks": found}, render=_table, items="tasks")


def _table(result: dict[str, Any]) -> Iterator[str | Table]:
    rows = [
        (
            task["ref"],
            ", ".join(task["schedules"]) or None,
            "yes" if task["enabled"] else "no",
            task["target"],
            "see below" if "problem" in task else None,
        )
        for task in result["tasks"]
    ]
    empty = "There is no task here: a task is a file tasks/<id>.yml of the project or of a bundle."
    yield Table(("task", "schedule", "enabled", "target", "problem"), rows, empty)
    # Whole sentences, for which a column has no room.
    yield from (task["problem"] for task in result["tasks"] if "problem" in task)
