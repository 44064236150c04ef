"""Filling a ledger in bulk, past akm: one transaction without syncing, and the indexes rebuilt at its end."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from tests.builders import SCOPE

UNITS_PER_RUN = 100
_NUMBERS = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < {}) "
_RUN = "printf('%08x-0000-4000-8000-000000000000', {})"
_AT = "printf('2026-01-01T%02d:%02d:%02d.%03dZ', i / 3600000 % 24, i / 60000 % 60, i / 1000 % 60, i % 1000)"
# Scattered as real ids are, so that its index is as large and as deep.
_DISPATCH = "lower(hex(randomblob(16)))"
_RUNS = (
    "INSERT INTO workflow_runs (id, workflow_ref, workflow_title, status, created_at, updated_at, scope_key, "
    "params_json, plan_json) SELECT " + _RUN.format("i") + ", 'team//workflows/release', 'release', "
    f"'completed', {_AT}, {_AT}, '{SCOPE}', '{{}}', printf('%.2000c', '{{') FROM n"
)
_ATTEMPTS = (
    "INSERT INTO workflow_run_unit_attempts (run_id, unit_id, attempt, dispatch_id, step_id, node_id, phase, "
    "input_hash, status, started_at, finished_at, claim_holder, claim_expires_at, result_json) SELECT "
    + _RUN.format(f"i / {UNITS_PER_RUN}")
    + f", 'step-1:' || (i % {UNITS_PER_RUN}), 1, {_DISPATCH}, 'step-1', 'step-1.unit', 'unit', 'hash-1', "
    f"'completed', {_AT}, {_AT}, 'pid:1', {_AT}, '\"done\"' FROM n"
)
_UNITS = (
    "INSERT INTO workflow_run_units (run_id, unit_id, step_id, node_id, phase, status, attempts, input_hash, "
    "started_at, finished_at, result_json) SELECT run_id, unit_id, step_id, node_id, phase, status, attempt, "
    "input_hash, started_at, finished_at, result_json FROM workflow_run_unit_attempts"
)
_EVENTS = (
    "INSERT INTO events (event_type, ts, ref, metadata_json) SELECT kind, started_at, "
    '\'team//workflows/release\', \'{"runId":"\' || run_id || \'","unitId":"\' || unit_id || '
    '\'","attempt":1,"dispatchId":"\' || dispatch_id || \'","status":"completed"}\' '
    "FROM workflow_run_unit_attempts, (SELECT 'workflow_unit_started' AS kind UNION ALL SELECT "
    "'workflow_unit_finished')"
)


def fill(path: Path, attempts: int) -> Path:
    """Write so many attempts, each with its unit and two events, and the runs they belong to."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for pragma in ("journal_mode=OFF", "synchronous=OFF", "cache_size=-1000000", "foreign_keys=OFF"):
            connection.execute(f"PRAGMA {pragma}")
        connection.execute("BEGIN")
        indexes = connection.execute(
            "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
        ).fetchall()
        for name, _text in indexes:
            connection.execute(f"DROP INDEX {name}")
        connection.execute(_NUMBERS.format(max(1, attempts // UNITS_PER_RUN)) + _RUNS)
        connection.execute(_NUMBERS.format(attempts) + _ATTEMPTS)
        connection.execute(_UNITS)
        connection.execute(_EVENTS)
        for _name, text in indexes:
            connection.execute(text)
        connection.execute("COMMIT")
        connection.execute("PRAGMA journal_mode=WAL")
    return path


def fill_runs(path: Path, runs: int) -> Path:
    """Write so many completed runs with large plans, and nothing else."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN")
        connection.execute(_NUMBERS.format(runs) + _RUNS)
        connection.execute("COMMIT")
    return path
