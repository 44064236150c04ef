"""Databases as each generation of akm-cli made them, written here from what is known of their tables."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

REAL = Path(__file__).parents[1].parent / "shared/data/databases/akm-cli-0.9-state.sql"
NEWEST = 28
NAMES = {
    1: "001-initial-schema",
    2: "002-task-history-per-run",
    20: "020-three-db-cutover",
    22: "022-workflow-unit-attempts",
    23: "023-child-workflow-runs",
    24: "024-workflow-run-outputs",
    25: "025-task-history-vocabulary-backfill",
}
AT = "2026-05-01T10:00:00.000Z"
RUN = "11111111-2222-4333-8444-555555555555"
REF = "team//workflows/release"
PLAN = {
    "irVersion": 5,
    "title": "release",
    "execution": {"maxConcurrency": 1},
    "steps": [
        {
            "stepId": name,
            "root": {
                "kind": "unit",
                "id": name,
                "instructions": "Do it.",
                "onError": "fail",
                "frozenTarget": {
                    "kind": "shell",
                    "contentHash": "",
                    "cwdIdentity": {"requestedRoot": "/", "realRoot": "/"},
                    "exec": {"command": ["echo", f"{name} done"], "timeoutMs": 60000},
                },
            },
        }
        for name in ("first", "second")
    ],
}
EVENTS = "id INTEGER PRIMARY KEY AUTOINCREMENT, event_type TEXT NOT NULL, ts TEXT NOT NULL, ref TEXT, {json}"
METADATA = "metadata_json TEXT NOT NULL DEFAULT '{}'"
HISTORY = f"status TEXT NOT NULL, started_at TEXT, completed_at TEXT, failed_at TEXT, log_path TEXT, \
target_kind TEXT, target_ref TEXT, {METADATA}"
RUNS = "id TEXT PRIMARY KEY, workflow_ref TEXT, workflow_entry_id INTEGER, workflow_title TEXT, status TEXT, \
params_json TEXT, current_step_id TEXT, created_at TEXT, updated_at TEXT, completed_at TEXT, scope_key TEXT, \
agent_harness TEXT, agent_session_id TEXT, checkin_armed_at TEXT, plan_json TEXT, plan_hash TEXT, \
engine_lease_until TEXT, engine_lease_holder TEXT, plan_ir_version INTEGER"
STEPS = "run_id TEXT, step_id TEXT, step_title TEXT, instructions TEXT, completion_json TEXT, \
sequence_index INTEGER, status TEXT, notes TEXT, evidence_json TEXT, completed_at TEXT, summary TEXT, \
PRIMARY KEY (run_id, step_id)"
UNITS = (
    "run_id TEXT, unit_id TEXT, step_id TEXT, node_id TEXT, parent_unit_id TEXT, phase TEXT, runner TEXT, \
model TEXT, engine TEXT, status TEXT, input_hash TEXT, result_json TEXT, tokens INTEGER, \
failure_reason TEXT, worktree_path TEXT, started_at TEXT, \
finished_at TEXT, session_id TEXT, last_checkin_at TEXT, \
attempts INTEGER NOT NULL DEFAULT 1, claim_holder TEXT, claim_expires_at TEXT, PRIMARY KEY (run_id, unit_id)"
)
ATTEMPTS = "run_id TEXT, unit_id TEXT, attempt INTEGER, dispatch_id TEXT, step_id TEXT, node_id TEXT, \
phase TEXT, runner TEXT, engine TEXT, model TEXT, input_hash TEXT, status TEXT, result_json TEXT, \
failure_reason TEXT, session_id TEXT, worktree_path TEXT, tokens INTEGER, started_at TEXT, finished_at TEXT, \
claim_holder TEXT, claim_expires_at TEXT, PRIMARY KEY (run_id, unit_id, attempt)"


def tables(newest: int) -> dict[str, str]:
    """List the tables of a generation with their columns."""
    made = {"events": EVENTS.format(json=METADATA), "task_history": f"task_id TEXT PRIMARY KEY, {HISTORY}"}
    if newest >= 2:
        made["task_history"] = f"id INTEGER PRIMARY KEY AUTOINCREMENT, task_id TEXT NOT NULL, {HISTORY}"
    if newest >= 20:
        children = ", parent_run_id TEXT, parent_unit_id TEXT, invocation_key TEXT" if newest >= 23 else ""
        outputs = ", outputs_json TEXT" if newest >= 24 else ""
        made["workflow_runs"] = RUNS + children + outputs
        made |= {"workflow_run_steps": STEPS, "workflow_run_units": UNITS}
    if newest >= 22:
        made["workflow_run_unit_attempts"] = ATTEMPTS
    return made


@contextmanager
def old(path: Path, newest: int = NEWEST, *, more: tuple[str, ...] = ()) -> Iterator[sqlite3.Connection]:
    """Make the database of a generation, to be filled in the block."""
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE schema_migrations (id TEXT PRIMARY KEY, applied_at TEXT)")
    known = [NAMES.get(number, f"{number:03d}-something") for number in range(1, newest + 1)]
    connection.executemany(
        "INSERT INTO schema_migrations VALUES (?, '')", [(name,) for name in (*known, *more)]
    )
    for name, columns in tables(newest).items():
        connection.execute(f"CREATE TABLE {name} ({columns})")
    try:
        with connection:
            yield connection
    finally:
        connection.close()


def put(connection: sqlite3.Connection, table: str, **values: Any) -> None:
    """Insert a row."""
    names, marks = ", ".join(values), ", ".join("?" * len(values))
    connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", tuple(values.values()))


def put_run(connection: sqlite3.Connection, run_id: str = RUN, **changes: Any) -> None:
    """Insert an active run that has a step behind it and a step before it."""
    row = {"id": run_id, "workflow_ref": REF, "workflow_title": "release", "status": "active"}
    row |= {"params_json": "{}", "current_step_id": "second", "created_at": AT, "updated_at": AT}
    row |= {"plan_json": json.dumps(PLAN), "plan_ir_version": "5", "scope_key": "dir:v1:there"}
    put(connection, "workflow_runs", **row | changes)
    for number, (name, status) in enumerate((("first", "completed"), ("second", "pending"))):
        put_step(connection, run_id, name, number, status=status)


def put_step(connection: sqlite3.Connection, run_id: str, name: str, number: int, **changes: Any) -> None:
    """Insert a step."""
    row = {"run_id": run_id, "step_id": name, "step_title": name, "sequence_index": number}
    put(connection, "workflow_run_steps", **row | {"instructions": "Do it.", "status": "pending"} | changes)


def put_unit(connection: sqlite3.Connection, unit_id: str = "first:solo", **changes: Any) -> None:
    """Insert a unit of the step `first`."""
    row = {"run_id": RUN, "unit_id": unit_id, "step_id": "first", "node_id": "first", "status": "completed"}
    row |= {"runner": "exec", "input_hash": "h", "started_at": AT, "finished_at": AT, "result_json": '"out"'}
    put(connection, "workflow_run_units", **row | changes)


def put_attempt(connection: sqlite3.Connection, unit_id: str, number: int, **changes: Any) -> None:
    """Insert an attempt of a unit of the step `first`."""
    row = {"run_id": RUN, "unit_id": unit_id, "attempt": number, "dispatch_id": f"d-{unit_id}-{number}"}
    row |= {"step_id": "first", "node_id": "first", "phase": "unit", "status": "completed", "input_hash": "h"}
    row |= {"started_at": AT, "finished_at": AT, "claim_holder": "pid:7", "claim_expires_at": AT}
    put(connection, "workflow_run_unit_attempts", **row | {"result_json": '"out"'} | changes)


def put_event(connection: sqlite3.Connection, event_type: str = "workflow_started", **changes: Any) -> None:
    """Insert an event of the run."""
    row = {"event_type": event_type, "ts": AT, "ref": REF, "metadata_json": json.dumps({"runId": RUN})}
    put(connection, "events", **row | changes)


def put_history(connection: sqlite3.Connection, task_id: str = "nightly", **changes: Any) -> None:
    """Insert an ended attempt of a task."""
    row = {"task_id": task_id, "status": "completed", "started_at": AT, "completed_at": AT}
    row |= {"target_kind": "command", "metadata_json": '{"durationMs": 5}'}
    put(connection, "task_history", **row | changes)


def put_cached(connection: sqlite3.Connection, url: str, fetched_at: str, index_json: str = "{}") -> None:
    """Insert an answer of a registry, making its table where it is missing."""
    columns = "registry_url TEXT PRIMARY KEY, fetched_at TEXT, etag TEXT, last_modified TEXT, index_json TEXT"
    connection.execute(f"CREATE TABLE IF NOT EXISTS registry_index_cache ({columns})")
    put(
        connection,
        "registry_index_cache",
        registry_url=url,
        fetched_at=fetched_at,
        index_json=index_json,
    )


def real(path: Path) -> Path:
    """Make the database that an akm-cli of a user wrote; call only where `REAL` is there."""
    with sqlite3.connect(path) as connection:
        connection.executescript(REAL.read_text())
    connection.close()
    return path
