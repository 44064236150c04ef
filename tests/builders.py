"""Values and rows with defaults, so that a test shows only what it is about."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

from akm import clock, ids
from akm.services import attempts, runs
from akm.services.attempts import Finished, Reservation, Wanted
from akm.services.runs import NewRun, NewStep
from akm.store import run_rows
from akm.store.database import Database
from akm.store.run_rows import RunRows

START = 1_800_000_000
REF = "team//workflows/release"
SCOPE = "dir:v1:here"
AT = clock.stamp(START)


def moments() -> Callable[[], str]:
    """Return a clock of which each reading is a second after the one before."""
    ticks = count(START)
    return lambda: clock.stamp(next(ticks))


def later(seconds: float) -> str:
    """Name the moment so many seconds after `AT`."""
    return clock.stamp(START + seconds)


def a_run(**changes: Any) -> NewRun:
    """Build an active run that stands at `step-1`."""
    made_at = changes.get("created_at", AT)
    return NewRun(
        id=ids.new(),
        workflow_ref=REF,
        workflow_title="release",
        status="active",
        current_step_id="step-1",
        created_at=made_at,
        updated_at=made_at,
        scope_key=SCOPE,
        params_json="{}",
        plan_json='{"irVersion":5}',
        plan_hash="0" * 64,
        plan_ir_version=5,
    )._replace(**changes)


def a_child(parent_run_id: str, key: str = "key-1", **changes: Any) -> NewRun:
    """Build a child run that a unit of `parent_run_id` invokes under `key`."""
    child = {"parent_run_id": parent_run_id, "parent_unit_id": "step-1", "invocation_key": key}
    return a_run(**child | {"workflow_ref": "team//workflows/child"} | changes)


def a_spine(steps: int = 1) -> list[NewStep]:
    """Build the pending steps `step-1`, `step-2` and so on."""
    return [
        NewStep(f"step-{number}", f"step-{number}", f"Do {number}.", '["It is done."]', number - 1)
        for number in range(1, steps + 1)
    ]


def a_wanted(unit_id: str = "step-1", **changes: Any) -> Wanted:
    """Build a dispatch of a unit of `step-1`."""
    return Wanted(unit_id, "step-1", "step-1.unit", "unit", "hash-1", runner="exec")._replace(**changes)


def finished(reserved: Reservation, status: str = "completed", **changes: Any) -> Finished:
    """Build the end of a reserved attempt."""
    return Finished(reserved.unit_id, reserved.attempt, reserved.dispatch_id, status)._replace(**changes)


def publish(db: Database, steps: int = 1, **changes: Any) -> str:
    """Start a run beside any other one and return its id."""
    run = a_run(**changes)
    runs.publish(db, run, a_spine(steps), refs=(run.workflow_ref,), force=True)
    return run.id


def attempt(
    db: Database, run_id: str, unit_id: str = "step-1", *, at: str = AT, **ending: Any
) -> Reservation:
    """Reserve an attempt and finish it at once; `ending` names fields of its end."""
    reserved = attempts.reserve(db, run_id, a_wanted(unit_id), at=at)
    attempts.finish(db, run_id, finished(reserved, **ending), at=at)
    return reserved


def rows(db: Database | sqlite3.Connection, query: str, *values: Any) -> list[dict[str, Any]]:
    """Run a query of the test's own, past akm."""
    cursor = (db.connection if isinstance(db, Database) else db).execute(query, values)
    return [dict(zip([column[0] for column in cursor.description], row, strict=True)) for row in cursor]


def row(db: Database | sqlite3.Connection, query: str, *values: Any) -> dict[str, Any]:
    """Run a query that finds exactly one row."""
    (found,) = rows(db, query, *values)
    return found


def dump(db: Database | sqlite3.Connection | Path) -> dict[str, list[dict[str, Any]]]:
    """Read every row of every table."""
    if isinstance(db, Path):
        connection = sqlite3.connect(db)
        try:
            return dump(connection)
        finally:
            connection.close()
    names = [found["name"] for found in rows(db, "SELECT name FROM sqlite_master WHERE type = 'table'")]
    return {name: rows(db, f'SELECT rowid, * FROM "{name}" ORDER BY rowid') for name in sorted(names)}


def taken_away(db: Database, run_id: str) -> list[RunRows]:
    """Read a run with its children as another ledger would get them, and remove them from this one."""
    with db.immediate() as tx:
        found = run_rows.tree(tx, run_id)
        for one in found:
            db.connection.execute("DELETE FROM workflow_runs WHERE id = ?", (one.run.id,))
            of_run = "json_extract(metadata_json, '$.runId') = ?"
            db.connection.execute(f"DELETE FROM events WHERE {of_run}", (one.run.id,))
    return found


def event_types(db: Database) -> list[str]:
    """List the types of all events, in order."""
    return [found["event_type"] for found in rows(db, "SELECT event_type FROM events ORDER BY id")]
