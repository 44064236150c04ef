"""The floor: what one dispatch costs when the same SQL goes straight to `sqlite3`, with nothing around it."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path
from random import getrandbits

from akm.store import sql

AT = "2026-01-01T00:00:00.000Z"


def _bare(text: str) -> str:
    """Turn names into question marks: binding by position is the quickest that `sqlite3` offers."""
    return re.sub(r":\w+", "?", text)


RUN = _bare(sql.RUN_HEAD.text)
LATEST = _bare(sql.ATTEMPT_LATEST.text)
INSERT = _bare(sql.ATTEMPT_INSERT.text)
UPSERT = _bare(sql.UNIT_RESERVE.text)
EVENT = _bare(sql.EVENT_INSERT.text)
UPDATE = _bare(sql.ATTEMPT_FINISH.text).partition(" RETURNING")[0]
ENDED = (
    "SELECT step_id, phase FROM workflow_run_unit_attempts WHERE run_id = ? AND unit_id = ? AND attempt = ?"
)
PROJECT = _bare(sql.UNIT_FINISH.text)


def connect(path: Path, synchronous: str) -> sqlite3.Connection:
    """Open a migrated ledger as akm does."""
    connection = sqlite3.connect(path, timeout=30, isolation_level=None, cached_statements=256)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute(f"PRAGMA synchronous={synchronous}")
    connection.execute("PRAGMA foreign_keys=ON")
    return connection


def dispatch(connection: sqlite3.Connection, run_id: str, unit_id: str) -> None:
    """Reserve an attempt in one transaction and finish it in another."""
    execute = connection.execute
    dispatch_id = f"{getrandbits(128):032x}"
    execute("BEGIN IMMEDIATE")
    execute(RUN, (run_id,)).fetchone()
    _reserve(connection, run_id, unit_id, dispatch_id)
    execute("COMMIT")
    execute("BEGIN IMMEDIATE")
    _finish(connection, run_id, unit_id, dispatch_id)
    execute("COMMIT")


def batch(connection: sqlite3.Connection, run_id: str, unit_ids: list[str]) -> None:
    """Reserve attempts of several units in one transaction and finish all of them in another."""
    execute = connection.execute
    dispatch_ids = [f"{getrandbits(128):032x}" for _unit_id in unit_ids]
    execute("BEGIN IMMEDIATE")
    execute(RUN, (run_id,)).fetchone()
    for unit_id, dispatch_id in zip(unit_ids, dispatch_ids, strict=True):
        _reserve(connection, run_id, unit_id, dispatch_id)
    execute("COMMIT")
    execute("BEGIN IMMEDIATE")
    for unit_id, dispatch_id in zip(unit_ids, dispatch_ids, strict=True):
        _finish(connection, run_id, unit_id, dispatch_id)
    execute("COMMIT")


def _reserve(connection: sqlite3.Connection, run_id: str, unit_id: str, dispatch_id: str) -> None:
    execute = connection.execute
    what = ("step-1", "step-1.unit")
    runner = ("unit", "exec", None, None)
    claim = (None, AT, "pid:1", AT)
    execute(LATEST, (run_id, unit_id)).fetchone()
    execute(INSERT, (run_id, unit_id, 1, dispatch_id, *what, *runner, "hash-1", *claim))
    execute(UPSERT, (run_id, unit_id, *what, None, *runner, 1, "hash-1", *claim))
    event = ("workflow_unit_started", AT, "team//workflows/release", _metadata(run_id, unit_id, dispatch_id))
    execute(EVENT, event)


def _finish(connection: sqlite3.Connection, run_id: str, unit_id: str, dispatch_id: str) -> None:
    execute = connection.execute
    ended = ("completed", None, None, None, None, AT, None, '"done"')
    execute(UPDATE, (*ended, run_id, unit_id, 1, dispatch_id))
    execute(ENDED, (run_id, unit_id, 1)).fetchone()
    execute(PROJECT, ("completed", None, None, None, AT, None, None, '"done"', run_id, unit_id, 1))
    execute(RUN, (run_id,)).fetchone()
    event = ("workflow_unit_finished", AT, "team//workflows/release", _metadata(run_id, unit_id, dispatch_id))
    execute(EVENT, event)


def _metadata(run_id: str, unit_id: str, dispatch_id: str) -> str:
    return (
        f'{{"runId":"{run_id}","stepId":"step-1","unitId":"{unit_id}","attempt":1,'
        f'"dispatchId":"{dispatch_id}","phase":"unit","status":"running"}}'
    )
