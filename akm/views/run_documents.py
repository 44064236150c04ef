"""One run as a document that another ledger can take over: every row of it and of its children."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from akm.errors import NotFoundError, UsageError
from akm.store import run_rows
from akm.store.database import Database

FORMAT = "akm-run"
#: Raised whenever a table of a run gets, loses or changes a column.
VERSION = 1


def document(db: Database, run_id: str) -> dict[str, Any]:
    """Read a run with all its children as {format, version, runs: [{run, steps, units, attempts, events}]}.

    Each row is a mapping of its columns as they are stored, JSON columns as text; parents come before their
    children. Raises NotFoundError, and UsageError for a child, which is part of its parent's document.
    """
    with db.read() as tx:
        found = run_rows.tree(tx, run_id)
    if not found:
        raise NotFoundError(f"There is no run {run_id!r}.", code="WORKFLOW_NOT_FOUND")
    parent = found[0].run.parent_run_id
    if parent is not None:
        raise UsageError(
            f"Run {run_id} is a child of run {parent} and is exported together with it.",
            hint=f"Export run {parent}.",
        )
    return {"format": FORMAT, "version": VERSION, "runs": [_rows(rows) for rows in found]}


def _rows(rows: run_rows.RunRows) -> dict[str, Any]:
    lists: dict[str, Sequence[Any]] = {
        "steps": rows.steps,
        "units": rows.units,
        "attempts": rows.attempts,
        "events": rows.events,
    }
    return {
        "run": rows.run._asdict(),
        **{name: [row._asdict() for row in found] for name, found in lists.items()},
    }
