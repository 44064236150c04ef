"""The figures about a ledger are true, change nothing, and are bounded in what they read and in time."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from builders import AT, attempt, later, publish

from akm import models
from akm.errors import NotFoundError
from akm.services import events
from akm.store import run_sizes, sql, stats
from akm.store.database import Database
from akm.store.opening import open_database

TABLES = sorted(models.Event.metadata.tables)


def text(length: int) -> str:
    return '"' + "é" * ((length - 2) // 2) + '"'


def of(found: dict[str, Any], name: str) -> dict[str, Any]:
    (table,) = [table for table in found["tables"] if table["name"] == name]
    return table


def test_every_table_is_told_with_its_rows_and_the_ends_of_its_time(db: Database) -> None:
    run_id = publish(db, 2)
    for number in range(3):
        attempt(db, run_id, f"unit-{number}", at=later(number))
    events.record(db, "last", at=later(60), metadata={})
    found = stats.measure(db.path)
    assert [table["name"] for table in found["tables"]] == TABLES
    journal = of(found, "workflow_run_unit_attempts")
    assert (journal["rows"], journal["oldest"], journal["newest"]) == (3, AT, later(2))
    assert (of(found, "events")["oldest"], of(found, "events")["newest"]) == (AT, later(60))
    steps = of(found, "workflow_run_steps")
    assert (steps["rows"], steps["oldest"], steps["newest"]) == (2, None, None)
    assert (of(found, "task_history")["rows"], of(found, "task_history")["oldest"]) == (0, None)
    assert (found["revision"], found["journalMode"], found["runs"]) == (sql.REVISIONS[-1], "wal", 1)


def test_sizes_are_those_of_the_files_and_the_tables_make_up_the_file(db: Database) -> None:
    run_id = publish(db)
    attempt(db, run_id, result_json=text(500_000))
    assert stats.measure(db.path)["walBytes"] == Path(f"{db.path}-wal").stat().st_size > 500_000
    db.close()
    found = stats.measure(db.path)
    assert found["bytes"] == db.path.stat().st_size
    assert found["bytesFrom"] == "pages"
    # The tables of SQLite and Alembic themselves are all that is left out.
    assert 0 < found["bytes"] - sum(table["bytes"] for table in found["tables"]) <= 20 * 4096
    with closing(sqlite3.connect(db.path)) as raw:
        raw.execute("DELETE FROM workflow_run_unit_attempts")
        raw.commit()
    assert stats.measure(db.path)["freeBytes"] >= 490_000


def test_the_biggest_runs_come_first_in_bytes_and_not_in_characters(db: Database) -> None:
    sizes = {}
    for kilobytes in (30, 500, 100):
        run_id = publish(db, updated_at=later(kilobytes))
        # The result stands in the journal and in the projection.
        attempt(db, run_id, result_json=text(kilobytes * 1000))
        sizes[run_id] = 2 * kilobytes * 1000
    found = stats.measure(db.path)
    assert [run["id"] for run in found["biggestRuns"]] == sorted(sizes, key=lambda run: -sizes[run])
    for run in found["biggestRuns"]:
        assert 0 <= run["bytes"] - sizes[run["id"]] < 200
    assert found["runsMeasured"] == 3


def test_without_time_sizes_are_estimated_and_the_unmeasured_runs_are_counted(db: Database) -> None:
    for number in range(5):
        attempt(db, publish(db), f"unit-{number}", result_json=text(200_000))
    db.close()
    found = stats.measure(db.path, budget_seconds=0)
    assert (found["bytesFrom"], found["runsMeasured"], found["runs"]) == ("estimate", 0, 5)
    big = of(found, "workflow_run_units")["bytes"] + of(found, "workflow_run_unit_attempts")["bytes"]
    assert 0.9 * found["bytes"] < big <= found["bytes"]


def test_the_newest_runs_are_measured_first(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    for seconds in range(4):
        newest = publish(db, updated_at=later(seconds))
    readings = iter([0.0, 1.0, 1.5, 3.0, 3.0, 3.0])
    monkeypatch.setattr(run_sizes.time, "monotonic", lambda: next(readings))
    with closing(sqlite3.connect(db.path)) as raw:
        biggest, measured = run_sizes.biggest(raw, 2.0)
    assert ([run["id"] for run in biggest][:1], measured) == ([newest], 2)


def test_a_question_that_takes_too_long_is_stopped(db: Database) -> None:
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"
    assert run_sizes.in_time(db.connection, stats.time.monotonic() + 0.05, endless) is None
    assert run_sizes.in_time(db.connection, stats.time.monotonic() + 60, "SELECT 1") == [(1,)]


@pytest.mark.parametrize("question", [*(stats.ends(name) or () for name in TABLES), (run_sizes.run_bytes(),)])
def test_no_question_sorts_and_those_of_one_run_scan_nothing(db: Database, question: tuple[str, ...]) -> None:
    for text in question:
        values = ["run"] * ("?1" in text)
        plan = [row[3] for row in db.connection.execute(f"EXPLAIN QUERY PLAN {text}", values)]
        assert not [step for step in plan if "TEMP B-TREE" in step]
        # A walk along the rows that ends at the first of them is no scan of the table.
        if "LIMIT 1" not in text:
            assert not [step for step in plan if step.startswith("SCAN ") and "CONSTANT ROW" not in step]


def test_looking_changes_nothing_and_makes_nothing(db_path: Path, tmp_path: Path) -> None:
    before = db_path.read_bytes()
    stats.measure(db_path)
    assert db_path.read_bytes() == before
    with pytest.raises(NotFoundError, match="There is no database"):
        stats.measure(tmp_path / "none.db")
    assert not (tmp_path / "none.db").exists()


def test_a_newer_and_a_foreign_database_are_measured_as_far_as_they_are_known(
    db_path: Path, tmp_path: Path
) -> None:
    with open_database(db_path, synchronous="normal") as db:
        publish(db)
        db.connection.execute("UPDATE alembic_version SET version_num = '9999'")
        db.connection.execute("CREATE TABLE later (word TEXT)")
    found = stats.measure(db_path)
    assert (found["revision"], of(found, "later")["rows"], found["runsMeasured"]) == ("9999", 0, 1)
    with closing(sqlite3.connect(tmp_path / "theirs.db")) as raw:
        raw.execute('CREATE TABLE "a "" letter" (word TEXT)')
    theirs = stats.measure(tmp_path / "theirs.db")
    assert (theirs["revision"], theirs["biggestRuns"]) == (None, [])
    assert [table["name"] for table in theirs["tables"]] == ['a " letter']
