"""A row that cannot be taken over stays behind with its reason, and every other one comes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from builders import rows
from old_databases import (
    AT,
    RUN,
    old,
    put_attempt,
    put_cached,
    put_event,
    put_history,
    put_run,
    put_step,
    put_unit,
)

from akm.adopting.tally import MOST_NAMED
from akm.store.database import Database

Adopt = Callable[..., dict[str, Any]]
OTHER = "22222222-2222-4333-8444-555555555555"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"status": "paused"}, "status is none of active, completed, blocked, failed"),
        ({"params_json": "{"}, "params_json is no JSON"),
        ({"params_json": "[]"}, "params_json is no JSON object"),
        ({"outputs_json": "[" * 100_000}, "outputs_json is no JSON"),
        ({"created_at": "yesterday"}, "created_at is no time"),
        ({"created_at": "0001-01-01"}, "created_at is no time"),
        ({"updated_at": None}, "updated_at is missing"),
        ({"workflow_ref": ""}, "workflow_ref is empty"),
        ({"workflow_ref": "a\0b"}, "workflow_ref holds a control character"),
        ({"workflow_title": b"\xff"}, "workflow_title is not text in UTF-8"),
        ({"plan_ir_version": "five"}, "plan_ir_version is no whole number"),
    ],
)
def test_a_damaged_run_stays_behind_with_all_its_rows(
    db: Database, source: Path, taken: Adopt, changes: dict[str, Any], reason: str
) -> None:
    with old(source) as made:
        put_run(made, **changes)
        put_unit(made)
        put_attempt(made, "first:solo", 1)
        put_run(made, OTHER)
    report = taken()
    assert [it["id"] for it in rows(db, "SELECT id FROM workflow_runs")] == [OTHER]
    assert report["left"][0] == {"table": "workflow_runs", "key": RUN, "reason": reason}
    assert [it["reason"] for it in report["left"][1:]] == ["its run was left behind"] * 4
    assert report["leftCount"] == 5


@pytest.mark.parametrize("half", [b"CAST(X'6161EDA08061' AS TEXT)", b"CAST(X'61FF' AS TEXT)"])
def test_an_id_that_is_no_text_leaves_its_run_behind_and_its_rows_are_counted(
    source: Path, taken: Adopt, half: bytes
) -> None:
    with old(source) as made:
        put_run(made)
        for table, column in (("workflow_runs", "id"), ("workflow_run_steps", "run_id")):
            made.execute(f"UPDATE {table} SET {column} = {half.decode()}")
    report = taken()
    assert [it["reason"] for it in report["left"]] == [
        "id is not text in UTF-8",
        "its run was left behind",
        "its run was left behind",
    ]


def test_other_damaged_rows_stay_behind_alone(db: Database, source: Path, taken: Adopt) -> None:
    with old(source) as made:
        put_run(made)
        put_step(made, RUN, "third", 2, status="odd")
        put_step(made, RUN, "fourth", 3, evidence_json="{")
        put_step(made, "gone", "first", 0)
        put_unit(made, tokens="many")
        put_attempt(made, "first:solo", 0)
        put_event(made)
        put_event(made, metadata_json="{'}")
        put_event(made, ts="never")
        put_event(made, event_type=b"search")
        put_history(made)
        put_history(made, "a", metadata_json='{"durationMs": "5"}')
        put_history(made, "b", status="odd")
        put_history(made, "c", started_at=None)
        put_cached(made, "https://one.example", AT)
        put_cached(made, "https://me:secret@two.example/i.json?key=secret", AT, "{")
    report = taken()
    assert {(it["table"], it["key"]): it["reason"] for it in report["left"]} == {
        (
            "workflow_run_steps",
            f"{RUN} third",
        ): "status is none of pending, completed, blocked, failed, skipped",
        ("workflow_run_steps", f"{RUN} fourth"): "evidence_json is no JSON",
        ("workflow_run_steps", "gone first"): "its run is not there",
        ("workflow_run_units", f"{RUN} first:solo"): "tokens is no whole number",
        ("workflow_run_unit_attempts", f"{RUN} first:solo 0"): "attempt does not count from one",
        ("events", "2 workflow_started"): "metadata_json is no JSON",
        ("events", "3 workflow_started"): "ts is no time",
        ("events", "4 search"): "event_type is not text in UTF-8",
        ("task_history", f"a {AT}"): "its metadata is damaged: durationMs is no number",
        ("task_history", f"b {AT}"): "status is none of completed, blocked, failed, active, disabled, missed",
        ("task_history", "c"): "started_at is missing",
        ("registry_index_cache", "https://two.example/i.json"): "index_json is no JSON",
    }
    copied = {name: found["copied"] for name, found in report["tables"].items()}
    assert copied == {
        "workflow_runs": 1,
        "workflow_run_steps": 2,
        "workflow_run_units": 0,
        "workflow_run_unit_attempts": 0,
        "events": 1,
        "task_history": 1,
        "registry_index_cache": 1,
    }
    assert rows(db, "PRAGMA foreign_key_check") == []


def test_text_that_people_wrote_may_hold_anything(db: Database, source: Path, taken: Adopt) -> None:
    odd = "a\0b\n\N{PILE OF POO}"
    with old(source) as made:
        put_run(made, workflow_title=odd, plan_json="no plan")
        put_step(made, RUN, "third", 2, notes=odd, evidence_json='{"output": "\\ud800\\u0000"}')
    report = taken()
    assert report["leftCount"] == 0
    assert rows(db, "SELECT workflow_title, plan_json FROM workflow_runs") == [
        {"workflow_title": odd, "plan_json": "no plan"}
    ]
    assert report["runs"][0]["continuable"] is False


def test_many_rows_that_stay_behind_are_counted_and_some_are_named(source: Path, taken: Adopt) -> None:
    with old(source) as made:
        for _number in range(MOST_NAMED + 5):
            put_event(made, ts="never")
    report = taken()
    assert (len(report["left"]), report["leftCount"]) == (MOST_NAMED, MOST_NAMED + 5)


def test_a_table_without_a_column_that_is_needed_leaves_its_rows_behind(source: Path, taken: Adopt) -> None:
    with old(source) as made:
        put_run(made)
        made.execute("ALTER TABLE workflow_runs DROP COLUMN workflow_title")
    assert taken()["left"][0]["reason"] == "workflow_title is missing"
