"""Adding and dropping the link from a fork to its source leaves everything else as it was."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from builders import attempt, dump, publish

from akm.store import schema
from akm.store.opening import open_database

LINK = ("forked_from_run_id", "forked_from_step_id")


def filled(path: Path) -> dict[str, list[dict[str, Any]]]:
    """Write two runs, of which one is a fork of the other."""
    with open_database(path, synchronous="normal") as db:
        source, forked = publish(db, 2), publish(db, 2, workflow_ref="other")
        attempt(db, source, "a", result_json='"x"')
        db.connection.execute(
            "UPDATE workflow_runs SET forked_from_run_id = ?, forked_from_step_id = 's2' WHERE id = ?",
            (source, forked),
        )
    return dump(path)


def without_link(found: dict[str, list[dict[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
    return {
        table: [{name: value for name, value in row.items() if name not in LINK} for row in rows]
        for table, rows in found.items()
        if table != "alembic_version"
    }


def test_going_back_drops_the_link_alone_and_coming_again_knows_none(db_path: Path) -> None:
    before = filled(db_path)
    schema.downgrade(db_path, "0003", may_lose=True)
    older = dump(db_path)
    assert without_link(older) == without_link(before)
    assert not set(LINK) & older["workflow_runs"][0].keys()
    schema.upgrade(db_path, "0004")
    again = dump(db_path)
    assert without_link(again) == without_link(before)
    assert {row[name] for row in again["workflow_runs"] for name in LINK} == {None}


def test_a_run_still_takes_its_rows_with_it_and_its_state_is_still_checked(db_path: Path) -> None:
    filled(db_path)
    schema.downgrade(db_path, "0003", may_lose=True)
    schema.upgrade(db_path, "0004")
    with closing(sqlite3.connect(db_path, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys=ON")
        with pytest.raises(sqlite3.IntegrityError, match="status_known"):
            connection.execute("UPDATE workflow_runs SET status = 'odd'")
        connection.execute("DELETE FROM workflow_runs")
        tables = ("workflow_run_steps", "workflow_run_units", "workflow_run_unit_attempts")
        left = [connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables]
        assert left == [0, 0, 0]


def test_the_link_stands_before_the_plan(db_path: Path) -> None:
    filled(db_path)
    with closing(sqlite3.connect(db_path)) as connection:
        names = [row[1] for row in connection.execute("PRAGMA table_info(workflow_runs)")]
    assert names.index(LINK[0]) < names.index(LINK[1]) < names.index("plan_hash") < names.index("plan_json")
