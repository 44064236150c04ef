"""How many bytes runs take, measured for as long as a budget of time lasts."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Sequence
from typing import Any

from akm.store import copies

MOST_RUNS = 10
# octet_length knows a text's size without reading it; SQLite has it since 3.43.
_LENGTH = "octet_length({})" if sqlite3.sqlite_version_info >= (3, 43) else "length(CAST({} AS BLOB))"
_LONG = {
    "workflow_runs": ("id", ("params_json", "outputs_json", "plan_json")),
    "workflow_run_steps": ("run_id", ("instructions", "notes", "summary", "evidence_json")),
    "workflow_run_units": ("run_id", ("result_json",)),
    "workflow_run_unit_attempts": ("run_id", ("result_json",)),
}


def biggest(raw: sqlite3.Connection, budget_seconds: float) -> tuple[list[dict[str, Any]], int]:
    """Measure runs, newest first, for as long as the budget lasts; returns the biggest and how many."""
    if not {"workflow_runs", *_LONG} <= {*copies.tables(raw)}:
        return [], 0
    question = run_bytes()
    measured: list[dict[str, Any]] = []
    deadline = time.monotonic() + budget_seconds
    for run_id, ref in raw.execute("SELECT id, workflow_ref FROM workflow_runs ORDER BY updated_at DESC"):
        found = in_time(raw, deadline, question, (run_id,))
        if found is None:
            break
        measured.append({"id": run_id, "workflowRef": ref, "bytes": int(found[0][0])})
    return sorted(measured, key=lambda run: -run["bytes"])[:MOST_RUNS], len(measured)


def run_bytes() -> str:
    """Return the question for the bytes of one run's long columns; the parameter is its id."""
    sums = (
        f"(SELECT total({total(columns)}) FROM {name} WHERE {key} = ?1)"
        for name, (key, columns) in _LONG.items()
    )
    return f"SELECT {' + '.join(sums)}"


def total(columns: Iterable[str]) -> str:
    """Return the expression for the bytes of some columns of one row."""
    return " + ".join(f"ifnull({_LENGTH.format(column)}, 0)" for column in columns)


def in_time(
    raw: sqlite3.Connection, deadline: float, question: str, values: Sequence[str] = ()
) -> list[Any] | None:
    """Return the rows of a question; None when they are not there by `deadline` of the monotonic clock."""
    if time.monotonic() > deadline:
        return None
    raw.set_progress_handler(lambda: time.monotonic() > deadline, 1000)
    try:
        return raw.execute(question, values).fetchall()
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_INTERRUPT:
            raise
        return None
    finally:
        raw.set_progress_handler(None, 0)
