"""What people ask for most is answered from an index, with few statements, and without reading results."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from builders import SCOPE, a_child, a_spine, attempt, later, publish

from akm.errors import ConfigError
from akm.services import runs
from akm.store import sql
from akm.store.database import Database
from akm.store.opening import open_database
from akm.store.statement import Query
from akm.views import runs as run_views
from akm.views import units as unit_views
from akm.views import usage as usage_views
from akm.views.runs import Filters

BIG = '"' + "x" * 100_000 + '"'

#: What the performance goals name: a list, a run with its steps and units, a prefix, the accounting.
INDEXED: dict[str, Query[tuple[object, ...]]] = {
    name: getattr(sql, name)
    for name in (
        *("RUNS_OF_SCOPE", "RUNS_EVERYWHERE", "RUN_HEAD", "RUN_SUMMARY", "RUN_HAS_PLAN", "STEPS_OF_RUN"),
        *("UNITS_OF_RUN", "UNITS_OF_STEP", "RUN_IDS_FROM", "ATTEMPT_LATEST", "ATTEMPT_ACCOUNTING"),
        *("ATTEMPTS_OF_RUN", "ATTEMPT_FINISH", "UNIT_FINISH", "STEP_STATES", "RUN_BY_INVOCATION"),
        *("RUN_WHOLE", "UNITS_WHOLE", "ATTEMPTS_WHOLE", "EVENTS_WHOLE"),
        *("ATTEMPT_WORKTREES", "ATTEMPT_USAGE_BY_STEP", "ATTEMPT_OPEN"),
        *("RUNS_OF_BUNDLE", "RUNS_RENAME_REFS", "EVENTS_OF_BUNDLE", "EVENTS_RENAME_REFS", "TASK_NEXT_KIND"),
        *("TASKS_OF_BUNDLE", "TASKS_RENAME_TARGETS", "EVENT_RELEASE_KEY", "RUNS_ACTIVE_OF_BUNDLE"),
        *("EVENTS_ANY", "EVENTS_OF_REF", "EVENTS_OF_TYPE", "EVENTS_LAST_ID", "EVENT_BY_KEY", "CACHE_ROW"),
    )
}


@contextmanager
def traced(db: Database) -> Iterator[list[str]]:
    """Collect the statements that run inside the block, BEGIN and COMMIT left out."""
    told: list[str] = []
    db.connection.set_trace_callback(told.append)
    try:
        yield told
    finally:
        db.connection.set_trace_callback(None)
        told[:] = [text for text in told if not text.startswith(("BEGIN", "COMMIT"))]


@pytest.mark.parametrize("analysed", [False, True])
@pytest.mark.parametrize("name", INDEXED)
def test_a_frequent_query_neither_scans_nor_sorts(db: Database, name: str, analysed: bool) -> None:
    if analysed:
        for _run in range(3):
            publish(db, 2)
        db.connection.execute("ANALYZE")
    statement = INDEXED[name]
    plan = db.connection.execute(
        f"EXPLAIN QUERY PLAN {statement.text}", [None] * len(statement.params)
    ).fetchall()
    details = [step[3] for step in plan]
    assert details
    assert not [detail for detail in details if "SCAN" in detail or "TEMP B-TREE" in detail]


def test_usage_by_model_reads_the_attempts_of_one_run_alone(db: Database) -> None:
    plan = db.connection.execute(f"EXPLAIN QUERY PLAN {sql.ATTEMPT_USAGE_BY_MODEL.text}", ["run"]).fetchall()
    # Its few groups are sorted: an index for them would cost every dispatch.
    assert plan[0][3].startswith("SEARCH workflow_run_unit_attempts USING INDEX")
    assert [step[3] for step in plan[1:]] == ["USE TEMP B-TREE FOR GROUP BY"]


@pytest.mark.parametrize(
    ("ask", "statements"),
    [
        (lambda db, _run: run_views.listing(db, Filters(SCOPE)), 1),
        (lambda db, _run: run_views.listing(db, Filters(None, all_scopes=True)), 1),
        (run_views.detail, 4),
        (unit_views.of_run, 1),
        (unit_views.accounting, 1),
        (usage_views.of_run, 3),
        (run_views.find, 1),
    ],
)
def test_the_number_of_statements_does_not_grow_with_the_ledger(
    db: Database, ask: Callable[[Database, str], object], statements: int
) -> None:
    run_id = publish(db)
    counts = []
    for _size in range(2):
        with traced(db) as told:
            ask(db, run_id)
        counts.append(len(told))
        for number in range(5):
            publish(db, 3)
            attempt(db, run_id, f"unit-{number}")
    assert counts == [statements] * 2


def break_long_values(path: Path) -> None:
    """Damage every page that only continues a long value, so that nobody can read one unnoticed."""
    content = bytearray(path.read_bytes())
    for page in range(0, len(content), 4096):
        if content[page + 8 : page + 4000] == b"x" * 3992:
            content[page : page + 4] = b"\xff" * 4
    path.write_bytes(content)


def test_lists_status_and_accounting_read_neither_plans_nor_results(migrated: Path, tmp_path: Path) -> None:
    path = Path(shutil.copyfile(migrated, tmp_path / "state.db"))
    with open_database(path, synchronous="normal") as db:
        run_id = publish(db, plan_json=BIG)
        attempt(db, run_id, result_json=BIG)
    break_long_values(path)
    with open_database(path, synchronous="normal") as db:
        assert [run["id"] for run in run_views.listing(db, Filters(SCOPE))] == [run_id]
        assert unit_views.accounting(db, run_id).dispatches == 1
        assert usage_views.of_run(db, run_id)["dispatches"] == 1
        assert run_views.resolve(db, run_id[:8]) == run_id
        assert [unit["status"] for unit in unit_views.of_run(db, run_id)] == ["completed"]
        assert [one["status"] for one in unit_views.journal(db, run_id)] == ["completed"]
        for read in (lambda: run_views.plan(db, run_id), lambda: unit_views.of_step(db, run_id, "step-1")):
            with pytest.raises(ConfigError, match="damaged"):
                read()


def test_large_columns_stand_behind_all_that_listings_read(db: Database) -> None:
    columns = [row[1] for row in db.connection.execute("PRAGMA table_info(workflow_runs)")]
    assert columns[-1] == "plan_json"
    for table in ("workflow_run_units", "workflow_run_unit_attempts"):
        assert [row[1] for row in db.connection.execute(f"PRAGMA table_info({table})")][-1] == "result_json"


def test_the_ledger_grows_by_each_plan_once(db: Database) -> None:
    plan = '{"text":"' + "x" * 200_000 + '"}'
    for number in range(200):
        run_id = publish(db, 2, plan_json=plan, created_at=later(number))
        attempt(db, run_id)
        runs.publish_child(db, a_child(run_id), a_spine())
    pages, size = (
        db.connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size")
    )
    assert 200 * len(plan) < pages * size < 1.05 * 200 * len(plan)
