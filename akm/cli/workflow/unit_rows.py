"""A run's units and its journal of attempts as tables for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from akm.cli.tables import Table
from akm.cli.unit_ids import short
from akm.cli.workflow import usage_text

_COLUMNS = ("tokens", "cost", "reason", "session", "what it said")
_SHORT_SESSION = 8
_LONGEST_SAID = 100


def lines(shown: dict[str, Any]) -> Iterator[str | Table]:
    """Render the units and attempts that a run's detail holds; with units, what was spent on what."""
    if "units" in shown:
        yield ""
        yield _table(_in_order(shown), ("unit", "kind", "status", "attempts"), "attempts")
        yield from usage_text.tables(shown["usage"])
    if "attempts" in shown:
        yield ""
        yield _table(shown["attempts"], ("unit", "kind", "status", "attempt"), "attempt")


def _table(rows: list[dict[str, Any]], columns: tuple[str, ...], number: str) -> Table:
    cells = [_cells(row, number) for row in rows]
    empty = "No unit was dispatched yet."
    return Table((*columns, *_COLUMNS), cells, empty, whole=("unit",), optional=_COLUMNS)


def _in_order(shown: dict[str, Any]) -> list[dict[str, Any]]:
    """Put the units into the order of the workflow, and those of a step into that of their latest start."""
    places = {step["id"]: number for number, step in enumerate(shown["workflow"]["steps"])}
    return sorted(shown["units"], key=lambda row: (places.get(row["stepId"], -1), row["startedAt"] or ""))


def _cells(row: dict[str, Any], number: str) -> tuple[object, ...]:
    session, said = row["sessionId"], short(row["diagnostic"] or "-")
    return (
        short(row["unitId"]),
        row["phase"],
        _status(row),
        row[number],
        row["tokens"],
        usage_text.money(row["cost"]),
        row["failureReason"],
        session if session is None or len(session) <= _SHORT_SESSION else f"{session[:_SHORT_SESSION]}…",
        said if len(said) <= _LONGEST_SAID else f"{said[:_LONGEST_SAID]}…",
    )


def _status(row: dict[str, Any]) -> str:
    if row.get("accepted") is not None:
        return "accepted" if row["accepted"] else "rejected"
    if row.get("interrupted"):
        return "interrupted"
    return f"{row['status']} (input changed)" if row.get("inputChanged") else str(row["status"])
