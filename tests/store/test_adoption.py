"""Rows that are there already are found by an index, however many there are."""

from __future__ import annotations

import pytest

from akm.store import sql
from akm.store.database import Database


@pytest.mark.parametrize(
    ("name", "index"),
    [("EVENT_ADOPT", "idx_events_ts (ts=?)"), ("TASK_ADOPT", "idx_task_history_run (task_id=?")],
)
@pytest.mark.parametrize("analysed", [False, True])
def test_what_is_the_same_is_looked_up_by_its_time(
    db: Database, name: str, index: str, analysed: bool
) -> None:
    if analysed:
        db.connection.executemany(
            "INSERT INTO events (event_type, ts, ref) VALUES (?, ?, 'r')",
            [(f"kind {number}", f"{number % 7}") for number in range(200)],
        )
        db.connection.execute("ANALYZE")
    statement = getattr(sql, name)
    plan = db.connection.execute(f"EXPLAIN QUERY PLAN {statement.text}", [None] * len(statement.params))
    details = [step[3] for step in plan]
    assert any(index in detail for detail in details), details
    assert not [detail for detail in details if detail.startswith("SCAN") and "CONSTANT" not in detail]
