"""How large the ledger is and what makes it so: every question here is bounded, in rows or in time."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from akm.errors import NotFoundError
from akm.store import copies, run_sizes, schema
from akm.store.connect import translated
from akm.store.run_sizes import in_time, total

#: How long looking at the pages, and then at the runs, may take.
BUDGET_SECONDS = 5.0
_SAMPLE = 50
# A table's time, and whether an index finds its ends. Without one, the first and the last row written are
# taken, which in a table that only grows are the oldest and the newest.
_TIMES = {
    "events": ("ts", True),
    "registry_index_cache": ("fetched_at", True),
    "task_history": ("started_at", True),
    "workflow_run_steps": ("completed_at", False),
    "workflow_run_unit_attempts": ("started_at", False),
    "workflow_run_units": ("started_at", False),
    "workflow_runs": ("updated_at", True),
}


def measure(path: Path, *, budget_seconds: float = BUDGET_SECONDS) -> dict[str, Any]:
    """Describe the ledger at `path` without changing it. Raises NotFoundError when there is none.

    Returns {path, revision, journalMode, bytes, walBytes, freeBytes, bytesFrom, tables: [{name, rows, bytes,
    oldest, newest}], biggestRuns: [{id, workflowRef, bytes}], runs, runsMeasured}. A table's `bytes`
    include its indexes; `bytesFrom` is "pages" when they were counted and "estimate" when that would have
    taken too long. A run's bytes are those of its plan, texts and results; the newest `runsMeasured` runs
    were measured in time.
    """
    if not path.exists():
        raise NotFoundError(f"There is no database {path}.", code="FILE_NOT_FOUND")
    with translated(path), closing(copies.opened(path)) as raw:
        raw.execute("BEGIN")
        page, pages, free = (_pragma(raw, name) for name in ("page_size", "page_count", "freelist_count"))
        tables = [_table(raw, name) for name in copies.tables(raw)]
        bytes_from = _size(raw, tables, (pages - free) * page, budget_seconds)
        biggest, measured = run_sizes.biggest(raw, budget_seconds)
        return {
            "path": str(path),
            "revision": schema.revision(raw),
            "journalMode": raw.execute("PRAGMA journal_mode").fetchone()[0],
            "bytes": os.stat(path).st_size,
            "walBytes": _file_size(Path(f"{path}-wal")),
            "freeBytes": free * page,
            "bytesFrom": bytes_from,
            "tables": tables,
            "biggestRuns": biggest,
            "runs": next((table["rows"] for table in tables if table["name"] == "workflow_runs"), 0),
            "runsMeasured": measured,
        }


def ends(name: str) -> tuple[str, str] | None:
    """Return the questions for the oldest and the newest time of a table; None when it has no time."""
    if name not in _TIMES:
        return None
    column, is_indexed = _TIMES[name]
    if is_indexed:
        return f"SELECT min({column}) FROM {name}", f"SELECT max({column}) FROM {name}"
    first = f"SELECT {column} FROM {name} WHERE {column} IS NOT NULL ORDER BY rowid"
    return f"{first} LIMIT 1", f"{first} DESC LIMIT 1"


def _pragma(raw: sqlite3.Connection, name: str) -> int:
    return int(raw.execute(f"PRAGMA {name}").fetchone()[0])


def _file_size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _table(raw: sqlite3.Connection, name: str) -> dict[str, Any]:
    questions = ends(name)
    found = [raw.execute(question).fetchone() for question in questions or ()]
    oldest, newest = [row[0] if row else None for row in found] or [None, None]
    rows = raw.execute(f"SELECT count(*) FROM {copies.quoted(name)}").fetchone()[0]
    return {"name": name, "rows": rows, "bytes": 0, "oldest": oldest, "newest": newest}


def _size(raw: sqlite3.Connection, tables: list[dict[str, Any]], used: int, budget_seconds: float) -> str:
    """Fill in the tables' bytes and tell where they come from."""
    found = _counted(raw, time.monotonic() + budget_seconds)
    if found is not None:
        for table in tables:
            table["bytes"] = found.get(table["name"], 0)
        return "pages"
    weights = [table["rows"] * _row_bytes(raw, table["name"]) for table in tables]
    for table, weight in zip(tables, weights, strict=True):
        table["bytes"] = round(used * weight / (sum(weights) or 1))
    return "estimate"


def _counted(raw: sqlite3.Connection, deadline: float) -> dict[str, int] | None:
    """Count the bytes of each table's pages, indexes included; None when that is not possible in time."""
    try:
        found = in_time(
            raw,
            deadline,
            """SELECT owner.tbl_name, sum(dbstat.pgsize) FROM dbstat
            JOIN sqlite_master AS owner USING (name) GROUP BY owner.tbl_name""",
        )
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_ERROR:
            raise
        return None  # SQLite was built without that table.
    return None if found is None else dict(found)


def _row_bytes(raw: sqlite3.Connection, name: str) -> float:
    """Measure the mean row of a table over its first ones."""
    table = copies.quoted(name)
    columns = [copies.quoted(row[1]) for row in raw.execute(f"PRAGMA table_info({table})")]
    mean = f"SELECT avg({total(columns)}) FROM (SELECT * FROM {table} LIMIT {_SAMPLE})"
    return float(raw.execute(mean).fetchone()[0] or 0)
