"""Adding and dropping what attempts cost leaves everything else as it was."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from builders import attempt, dump, publish

from akm.store import schema
from akm.store.opening import open_database

TABLES = ("workflow_run_unit_attempts", "workflow_run_units")


def filled(path: Path) -> dict[str, list[dict[str, Any]]]:
    with open_database(path, synchronous="normal") as db:
        run_id = publish(db, 2)
        for unit_id in ("b", "a"):
            attempt(db, run_id, unit_id, tokens=3, cost=0.1, result_json='"x"')
    return dump(path)


def without_cost(found: dict[str, list[dict[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
    return {
        table: [{name: value for name, value in row.items() if name != "cost"} for row in rows]
        for table, rows in found.items()
        if table not in ("alembic_version", "workflow_runs")
    }


def test_going_back_drops_the_cost_alone_and_coming_again_knows_none(db_path: Path) -> None:
    before = filled(db_path)
    schema.downgrade(db_path, "0002", may_lose=True)
    older = dump(db_path)
    assert without_cost(older) == without_cost(before)
    assert [name for table in TABLES for row in older[table] for name in row if name == "cost"] == []
    schema.upgrade(db_path, "0003")
    again = dump(db_path)
    assert without_cost(again) == without_cost(before)
    assert {row["cost"] for table in TABLES for row in again[table]} == {None}


def test_the_rows_of_a_run_still_go_with_it_and_their_states_are_still_checked(db_path: Path) -> None:
    filled(db_path)
    schema.downgrade(db_path, "0002", may_lose=True)
    schema.upgrade(db_path, "0003")
    with closing(sqlite3.connect(db_path, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys=ON")
        for table in TABLES:
            with pytest.raises(sqlite3.IntegrityError, match="status_known"):
                connection.execute(f"UPDATE {table} SET status = 'odd'")
        connection.execute("DELETE FROM workflow_runs")
        assert [connection.execute(f"SELECT count(*) FROM {table}").fetchone() for table in TABLES] == [
            (0,),
            (0,),
        ]


def test_a_cost_is_a_real_and_stands_before_the_result(db_path: Path) -> None:
    filled(db_path)
    with closing(sqlite3.connect(db_path)) as connection:
        for table in TABLES:
            assert (
                connection.execute(f"SELECT cost, typeof(cost) FROM {table}").fetchall()
                == [(0.1, "real")] * 2
            )
            columns = connection.execute(f"PRAGMA table_info({table})").fetchall()
            assert [column[1:3] for column in columns[-2:]] == [("cost", "REAL"), ("result_json", "TEXT")]
