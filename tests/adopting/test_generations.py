"""Databases of every generation come whole, once, and the foreign keys hold."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from builders import dump, row, rows
from old_databases import (
    AT,
    NEWEST,
    REAL,
    RUN,
    old,
    put_attempt,
    put_cached,
    put_event,
    put_history,
    put_run,
    put_unit,
    real,
)

from akm.store.database import Database

Adopt = Callable[..., dict[str, Any]]


def counts(report: dict[str, Any], name: str) -> dict[str, int]:
    """Return what the report says of a table."""
    found: dict[str, int] = report["tables"][name]
    return found


def is_balanced(report: dict[str, Any]) -> bool:
    """Tell whether every row that was found is accounted for."""
    return all(
        it["found"] + it.get("reconstructed", 0)
        == it["copied"] + it["duplicates"] + it["left"] + it.get("folded", 0)
        for it in report["tables"].values()
    )


@pytest.mark.parametrize("newest", range(1, NEWEST + 1))
def test_every_generation_comes_whole_and_a_second_time_changes_nothing(
    db: Database, source: Path, taken: Adopt, newest: int
) -> None:
    with old(source, newest) as made:
        put_event(made)
        put_history(made)
        if newest >= 20:
            put_run(made)
            put_unit(made)
        if newest >= 22:
            put_attempt(made, "first:solo", 1)
    first = taken()
    before = dump(db)
    assert is_balanced(first)
    assert first["leftCount"] == 0
    assert counts(first, "events")["copied"] == counts(first, "task_history")["copied"] == 1
    wanted = [1, 2, 1, 1] if newest >= 20 else [0, 0, 0, 0]
    names = ("workflow_runs", "workflow_run_steps", "workflow_run_units", "workflow_run_unit_attempts")
    assert [counts(first, name)["copied"] for name in names] == wanted
    assert [len(before[name]) for name in names] == wanted
    again = taken("2027-01-01T00:00:00.000Z")
    assert dump(db) == before
    assert is_balanced(again)
    for name, found in first["tables"].items():
        assert counts(again, name) == found | {"copied": 0, "duplicates": found["copied"]}
    assert rows(db, "PRAGMA foreign_key_check") == []


def test_migrations_that_are_not_known_are_named(source: Path, taken: Adopt) -> None:
    with old(source, more=("029-from-tomorrow", "odd")):
        pass
    assert taken()["ledger"] == {"newest": "odd", "known": 28, "unknown": ["029-from-tomorrow", "odd"]}


def test_every_column_of_a_newest_run_comes_as_it_was(db: Database, source: Path, taken: Adopt) -> None:
    legacy = {"checkin_armed_at": "a", "engine_lease_until": "b", "engine_lease_holder": "c"}
    more = {
        "workflow_entry_id": 13,
        "agent_harness": "claude-code",
        "agent_session_id": "s",
        "plan_hash": "h",
    }
    child = {"parent_run_id": "p", "parent_unit_id": "u", "invocation_key": "k", "outputs_json": '{"a": 1}'}
    with old(source) as made:
        put_run(made, **legacy, **more, **child)
    taken()
    found = row(db, "SELECT * FROM workflow_runs")
    assert found.items() >= (legacy | more | child).items()
    assert (found["id"], found["plan_ir_version"], found["scope_key"]) == (RUN, 5, "dir:v1:there")


def test_a_run_that_is_there_stays_with_all_its_rows(db: Database, source: Path, taken: Adopt) -> None:
    with old(source) as made:
        put_run(made)
    taken()
    source.unlink()
    with old(source) as made:
        put_run(made, status="completed", updated_at="2026-05-02T10:00:00.000Z")
        put_unit(made)
    before = dump(db)
    report = taken()
    assert dump(db) == before
    assert counts(report, "workflow_run_units") == {"found": 1, "copied": 0, "duplicates": 1, "left": 0}
    assert "is left behind" in report["runs"][0]["reason"]


def test_events_keep_their_order_and_what_is_written_once_has_its_key(
    db: Database, source: Path, taken: Adopt
) -> None:
    with old(source) as made:
        put_run(made)
        put_event(made, id=7)
        put_event(made, "workflow_abandoned", id=9, ts="2026-05-01T10:00:01.000Z")
        put_event(made, "search", id=12, metadata_json='{ "q" : 1 }', ref=None)
        put_event(made, "search", id=13, metadata_json='{ "q" : 1 }', ref=None)
        put_event(made, id=14, ts="2026-05-01T10:00:02.000Z", metadata_json='{"runId": "\\ud800"}')
    report = taken()
    found = rows(db, "SELECT event_type, idempotency_key, metadata_json FROM events ORDER BY id")
    assert [it["event_type"] for it in found] == [
        "workflow_started",
        "workflow_abandoned",
        "search",
        "workflow_started",
        "ledger_adopted",
    ]
    assert [it["idempotency_key"] for it in found][:2] == [
        f"workflow_started:{RUN}",
        f"workflow_abandoned:{RUN}",
    ]
    assert found[2]["metadata_json"] == '{ "q" : 1 }'
    assert counts(report, "events") == {"found": 5, "copied": 4, "duplicates": 1, "left": 0}


def test_a_key_that_is_taken_leaves_the_event_without_one(db: Database, source: Path, taken: Adopt) -> None:
    with old(source) as made:
        put_event(made)
        put_event(made, ts="2026-05-01T10:00:01.000Z")
    taken()
    keys = [it["idempotency_key"] for it in rows(db, "SELECT idempotency_key FROM events ORDER BY id")]
    assert keys == [f"workflow_started:{RUN}", None, None]


def test_of_two_answers_of_a_registry_the_newer_one_stays(db: Database, source: Path, taken: Adopt) -> None:
    with old(source) as made:
        put_cached(made, "https://one.example", AT, '{"v": 1}')
        put_cached(made, "https://two.example", AT, '{"v": 1}')
    taken()
    source.unlink()
    with old(source) as made:
        put_cached(made, "https://one.example", "2026-04-01T10:00:00.000Z", '{"v": 0}')
        put_cached(made, "https://two.example", "2026-06-01T10:00:00.000Z", '{"v": 2}')
    report = taken()
    found = rows(db, "SELECT index_json FROM registry_index_cache ORDER BY registry_url")
    assert [json.loads(it["index_json"])["v"] for it in found] == [1, 2]
    assert counts(report, "registry_index_cache") == {"found": 2, "copied": 1, "duplicates": 1, "left": 0}


@pytest.mark.skipif(not REAL.exists(), reason=f"{REAL} is not there")
def test_a_real_database_comes_whole(db: Database, source: Path, taken: Adopt) -> None:
    real(source)
    report = taken()
    copied = {name: found["copied"] for name, found in report["tables"].items()}
    assert copied == {
        "workflow_runs": 4,
        "workflow_run_steps": 12,
        "workflow_run_units": 11,
        "workflow_run_unit_attempts": 11,
        "events": 40,
        "task_history": 2,
        "registry_index_cache": 0,
    }
    assert (report["leftCount"], report["ledger"]["newest"]) == (0, "021-asset-state-missing-since")
    assert [run["continuable"] for run in report["runs"]] == [None, None, False, False]
    repeated = row(db, "SELECT * FROM workflow_run_unit_attempts WHERE attempt = 2")
    assert (repeated["unit_id"], repeated["status"]) == ("second:solo", "completed")
    before = dump(db)
    taken()
    assert dump(db) == before
