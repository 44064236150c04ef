"""Attempts are made from units where there are none, and a unit always shows its latest attempt."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from builders import row, rows
from old_databases import AT, RUN, old, put_attempt, put_run, put_unit

from akm.services import attempts
from akm.services.attempts import Wanted
from akm.store.database import Database

Adopt = Callable[..., dict[str, Any]]
SAME = (
    *("unit_id", "step_id", "node_id", "phase", "runner", "engine", "model", "status", "input_hash"),
    *("result_json", "tokens", "failure_reason", "worktree_path", "started_at", "finished_at"),
    *("session_id", "claim_holder", "claim_expires_at"),
)


def journal(db: Database) -> list[dict[str, Any]]:
    return rows(db, "SELECT * FROM workflow_run_unit_attempts ORDER BY unit_id, attempt")


def assert_projected(db: Database) -> None:
    """Every unit is what its latest attempt says."""
    latest = {it["unit_id"]: it for it in journal(db)}
    shown = rows(db, "SELECT * FROM workflow_run_units ORDER BY unit_id")
    assert [it["unit_id"] for it in shown] == sorted(latest)
    for unit in shown:
        attempt = latest[unit["unit_id"]]
        assert unit["attempts"] == attempt["attempt"]
        assert {name: unit[name] for name in SAME} == {name: attempt[name] for name in SAME}


def test_an_attempt_is_made_from_its_unit_and_always_the_same(
    db: Database, source: Path, taken: Adopt
) -> None:
    with old(source, 21) as made:
        put_run(made)
        put_unit(made, attempts=3, tokens=9, worktree_path="/w")
    taken()
    (first,) = journal(db)
    assert (first["attempt"], first["status"], first["phase"], first["tokens"]) == (3, "completed", "unit", 9)
    assert (first["claim_holder"], first["claim_expires_at"]) == ("akm-cli", AT)
    assert_projected(db)
    db.connection.execute("DELETE FROM workflow_runs")
    assert journal(db) == []
    taken()
    assert journal(db) == [first]


def test_a_unit_without_its_trifles_still_makes_an_attempt(db: Database, source: Path, taken: Adopt) -> None:
    blank = dict.fromkeys(("step_id", "input_hash", "started_at", "finished_at", "result_json"))
    with old(source, 21) as made:
        put_run(made)
        put_unit(made, "first.gate:l1", node_id="first.gate", **blank)
    taken()
    (found,) = journal(db)
    assert (found["step_id"], found["phase"], found["input_hash"]) == ("first", "gate", "")
    assert found["started_at"] == AT
    assert_projected(db)


def test_repeated_units_become_the_attempts_of_one_in_order(db: Database, source: Path, taken: Adopt) -> None:
    with old(source, 21) as made:
        put_run(made)
        put_unit(made, "first:solo~r10", result_json='"ten"', parent_unit_id="first.map")
        put_unit(made, status="failed", failure_reason="timeout", result_json=None)
        put_unit(made, "first:solo~r2", status="failed", failure_reason="aborted", attempts=2)
    report = taken()
    found = journal(db)
    assert [(it["unit_id"], it["attempt"], it["failure_reason"]) for it in found] == [
        ("first:solo", 1, "timeout"),
        ("first:solo", 3, "aborted"),
        ("first:solo", 4, None),
    ]
    assert len({it["dispatch_id"] for it in found}) == 3
    unit = row(db, "SELECT * FROM workflow_run_units")
    assert (unit["status"], unit["attempts"], unit["result_json"]) == ("completed", 4, '"ten"')
    assert unit["parent_unit_id"] == "first.map"
    assert report["tables"]["workflow_run_units"] == {
        "found": 3,
        "copied": 1,
        "duplicates": 0,
        "left": 0,
        "folded": 2,
    }
    assert report["tables"]["workflow_run_unit_attempts"]["reconstructed"] == 3
    assert_projected(db)


def test_attempts_that_are_there_keep_their_dispatch_ids(db: Database, source: Path, taken: Adopt) -> None:
    with old(source) as made:
        put_run(made)
        put_unit(made, attempts=2)
        put_attempt(made, "first:solo", 1, status="failed", failure_reason="timeout")
        put_attempt(made, "first:solo", 2)
    taken()
    assert [it["dispatch_id"] for it in journal(db)] == ["d-first:solo-1", "d-first:solo-2"]
    assert_projected(db)


def test_an_unusable_attempt_is_made_from_its_unit_and_the_other_way_round(
    db: Database, source: Path, taken: Adopt
) -> None:
    with old(source) as made:
        put_run(made)
        put_unit(made, attempts=2)
        put_attempt(made, "first:solo", 1, status="failed")
        put_attempt(made, "first:solo", 2, result_json="{")
        put_attempt(made, "first.unit:ab", 1, node_id="first.unit")
        put_unit(made, "first.unit:ab", result_json="{")
    report = taken()
    assert [(it["unit_id"], it["attempt"], it["status"]) for it in journal(db)] == [
        ("first.unit:ab", 1, "completed"),
        ("first:solo", 1, "failed"),
        ("first:solo", 2, "completed"),
    ]
    assert [(it["table"], it["key"], it["reason"]) for it in report["left"]] == [
        ("workflow_run_units", f"{RUN} first.unit:ab", "result_json is no JSON"),
        ("workflow_run_unit_attempts", f"{RUN} first:solo 2", "result_json is no JSON"),
    ]
    mapped = row(db, "SELECT parent_unit_id FROM workflow_run_units WHERE unit_id = 'first.unit:ab'")
    assert mapped["parent_unit_id"] == "first.map"
    assert_projected(db)


def test_a_running_unit_stays_running_and_is_handed_out_again(
    db: Database, source: Path, taken: Adopt
) -> None:
    with old(source, 21) as made:
        put_run(made)
        put_unit(made, "second:solo", step_id="second", node_id="second", status="running", finished_at=None)
    taken()
    (running,) = journal(db)
    again = attempts.reserve(db, RUN, Wanted("second:solo", "second", "second", "unit", "h"), at=AT)
    assert (again.is_reclaimed, again.attempt, again.dispatch_id) == (True, 1, running["dispatch_id"])


def test_a_unit_that_was_never_dispatched_is_left_behind(source: Path, taken: Adopt) -> None:
    with old(source, 21) as made:
        put_run(made)
        put_unit(made, status="pending")
    assert taken()["left"][0]["reason"] == "it was never dispatched"
