"""Lists of many runs with large results: how many queries they take, and which columns they read.

Two thousand runs, each with five units whose results are ten kilobytes: enough to tell a query per run, or a
result read, from none, and quick enough for every test run.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from builders import SCOPE
from installed import Place

from akm.engine import reports
from akm.store.database import Database
from akm.views.runs import Filters

RUNS = 2_000
_NUMBERS = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < {}) "
_SEED = (
    _NUMBERS.format(RUNS)
    + "INSERT INTO workflow_runs (id, workflow_ref, workflow_title, status, created_at, "
    "updated_at, scope_key, plan_json) SELECT printf('%08x-0000-4000-8000-000000000000', i), "
    "'team//workflows/release', 'release', 'completed', printf('2026-01-01T00:00:00.%06dZ', i), "
    f"printf('2026-01-01T00:00:00.%06dZ', i), '{SCOPE}', printf('%.20000c', '{{') FROM n",
    _NUMBERS.format(5) + "INSERT INTO workflow_run_units (run_id, unit_id, step_id, node_id, phase, status, "
    "result_json) SELECT id, 'work:' || i, 'work', 'work', 'unit', 'completed', printf('%.10000c', 'x') "
    "FROM workflow_runs, n",
)


def seed(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in _SEED:
            connection.execute(statement)


@pytest.mark.parametrize("filters", [Filters(SCOPE), Filters(None, all_scopes=True, limit=1_000)])
def test_listing_takes_one_query_and_reads_no_plan_and_no_result(
    db: Database, db_path: Path, filters: Filters
) -> None:
    seed(db_path)
    statements: list[str] = []
    columns: set[str] = set()

    def note(action: int, table: str | None, column: str | None, *_where: Any) -> int:
        if action == sqlite3.SQLITE_READ:
            columns.add(f"{table}.{column}")
        return sqlite3.SQLITE_OK

    db.connection.set_trace_callback(statements.append)
    db.connection.set_authorizer(note)
    found = reports.listing(db, filters)["runs"]
    assert len(found) == filters.limit
    assert [text.split()[0] for text in statements] == ["BEGIN", "SELECT", "COMMIT"]
    assert columns
    assert not columns & {"workflow_runs.plan_json", "workflow_run_units.result_json"}


def test_the_command_pages_through_all_runs(place: Place) -> None:
    seed(place.root / "data" / "state.db")
    pages = [
        place.run("workflow", "list", "--all-scopes", "--limit", "700", "--offset", str(offset)).result[
            "runs"
        ]
        for offset in (0, 700, 1_400)
    ]
    listed = [run["id"] for page in pages for run in page]
    assert len(listed) == len(set(listed)) == RUNS
    assert listed == sorted(listed, reverse=True)
