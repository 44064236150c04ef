"""Reading the history of tasks: every form it was written in, bounds as promised, and indexes that serve."""

from __future__ import annotations

import json
from typing import Any

import pytest
from builders import AT, later, rows

from akm.store import sql
from akm.store.database import Database
from akm.views import task_history
from akm.views.history_metadata import Warned
from akm.views.task_history import Filters, Reader

MARKED = {"metadataVersion": 2, "durationMs": 5, "detail": None, "targetVocab": 2}


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def reader(said: list[str]) -> Reader:
    """A host on which only process 7, started at 70, is alive."""
    return Reader(lambda pid, started: (pid, started) == (7, 70), "here", Warned(said.append))


def write(db: Database, at: str = AT, metadata: Any = MARKED, **columns: Any) -> None:
    values = {
        "task_id": "nightly",
        "status": "completed",
        "started_at": at,
        "completed_at": later(60),
    } | columns
    values["metadata_json"] = metadata if isinstance(metadata, str) else json.dumps(metadata)
    names, marks = ", ".join(values), ", ".join("?" * len(values))
    rows(db, f"INSERT INTO task_history ({names}) VALUES ({marks}) RETURNING id", *values.values())


def only(db: Database, reader: Reader) -> dict[str, Any]:
    (found,) = task_history.query(db, Filters(), reader)
    return found


def starts(found: list[dict[str, Any]]) -> list[str]:
    return [one["startedAt"] for one in found]


def test_an_attempt_is_shown_whole(db: Database, reader: Reader) -> None:
    detail = {"runId": "r", "reason": "x", "error": "E", "exitCode": 3, "repairReason": "old"}
    kind = {"target_kind": "workflow", "target_ref": "team//workflows/w", "log_path": "/l"}
    write(db, metadata=MARKED | {"detail": detail, "profile": "old"}, status="failed", **kind)
    assert only(db, reader) == {
        "id": "nightly",
        "status": "failed",
        "startedAt": AT,
        "finishedAt": later(60),
        "durationMs": 5,
        "log": "/l",
        "target": {"kind": "workflow", "ref": "team//workflows/w"},
        "detail": {"runId": "r", "reason": "x", "error": "E", "exitCode": 3},
    }


@pytest.mark.parametrize(
    ("kind", "marked", "unmarked"),
    [
        ("workflow", {"kind": "workflow", "ref": ""}, {"kind": "workflow", "ref": ""}),
        ("command", {"kind": "command", "engine": "e"}, {"kind": "shell"}),
        ("prompt", {"kind": "unknown"}, {"kind": "command", "engine": "e"}),
        ("shell", {"kind": "shell"}, {"kind": "shell"}),
        ("script", {"kind": "script"}, {"kind": "script"}),
        ("other", {"kind": "unknown"}, {"kind": "unknown"}),
        (None, {"kind": "unknown"}, {"kind": "unknown"}),
    ],
)
def test_kinds_mean_what_they_meant_when_they_were_written(
    db: Database, reader: Reader, kind: str | None, marked: object, unmarked: object
) -> None:
    write(db, later(1), MARKED | {"engine": "e"}, target_kind=kind)
    write(db, AT, {"durationMs": 1, "engine": "e"}, target_kind=kind)
    assert [one["target"] for one in task_history.query(db, Filters(), reader)] == [marked, unmarked]


def test_an_odd_field_costs_no_row_and_one_warning_per_value(
    db: Database, reader: Reader, said: list[str]
) -> None:
    odd = MARKED | {"engine": 5, "unknown": 1}
    for number, (version, vocabulary) in enumerate([(3, 3), (3, 3), (4, 4), (2, 3)]):
        changed = {"metadataVersion": version, "targetVocab": vocabulary}
        write(db, later(number), odd | changed, target_kind="prompt")
    found = task_history.query(db, Filters(), reader)
    assert [one["target"] for one in found] == [{"kind": "command", "engine": None}] * 4
    assert sorted(text.split(",")[0].rsplit(maxsplit=1)[1] for text in said) == ["3", "3", "4", "4"]


@pytest.mark.parametrize(
    "metadata",
    [
        *("no json", "[]", "null", '"text"', "{}", "[" * 100_000),
        *({**MARKED, "durationMs": wrong} for wrong in ("5", True, None)),
        *(
            {**MARKED, "detail": wrong}
            for wrong in ("x", [], {"reason": None}, {"runId": 5}, {"exitCode": "1"})
        ),
    ],
    ids=lambda metadata: str(metadata)[:60],
)
def test_a_damaged_row_is_named_and_left_out(
    db: Database, reader: Reader, said: list[str], metadata: Any
) -> None:
    write(db, AT, metadata)
    write(db, later(1))
    assert starts(task_history.query(db, Filters(), reader)) == [later(1)]
    assert len(said) == 1
    assert "nightly" in said[0]
    assert AT in said[0]


@pytest.mark.parametrize(
    ("holder", "status"),
    [
        ({"pid": 7, "host": "here", "processStartedAt": 70}, "active"),
        ({"pid": 7, "host": "here", "processStartedAt": 69}, "interrupted"),
        ({"pid": 8, "host": "here", "processStartedAt": 70}, "interrupted"),
        ({"pid": 8, "host": "elsewhere", "processStartedAt": 70}, "active"),
        ({"pid": "8", "host": "here"}, "active"),
        (None, "active"),
    ],
)
def test_an_open_row_is_interrupted_once_its_process_is_gone(
    db: Database, reader: Reader, holder: object, status: str
) -> None:
    write(db, metadata=MARKED | {"holder": holder}, status="active", completed_at=None)
    before = rows(db, "SELECT * FROM task_history")
    found = only(db, reader)
    assert (found["status"], found["open"], found["finishedAt"]) == (status, True, AT)
    other = {"active": "interrupted", "interrupted": "active"}[status]
    assert task_history.query(db, Filters(status=status, limit=1), reader) == [found]
    assert task_history.query(db, Filters(status=other), reader) == []
    assert rows(db, "SELECT * FROM task_history") == before


def test_a_workflow_that_stopped_is_active_and_not_open(db: Database, reader: Reader) -> None:
    gone = {"pid": 8, "host": "here", "processStartedAt": 1}
    write(db, metadata=MARKED | {"holder": gone}, status="active")
    found = only(db, reader)
    assert (found["status"], found.get("open")) == ("active", None)


def test_both_bounds_of_a_query_are_inclusive(db: Database, reader: Reader) -> None:
    for number in range(5):
        write(db, later(number))
    found = task_history.query(db, Filters(since=later(1), until=later(3)), reader)
    assert starts(found) == [later(3), later(2), later(1)]


def test_intervals_leave_their_end_and_open_rows_out(db: Database) -> None:
    for number in range(4):
        write(db, later(number), "damaged", task_id="akm-improve", completed_at=later(number + 1))
    write(db, later(1.5), task_id="akm-improve", completed_at=None)
    write(db, later(1.5), task_id="another")
    found = task_history.completed_intervals(db, later(1), later(3))
    assert found == [{"startedAt": later(n), "completedAt": later(n + 1)} for n in (1, 2)]
    assert len(task_history.completed_intervals(db, later(1))) == 3
    assert len(task_history.completed_intervals(db, "", task_id="another")) == 1


def test_filters_are_joined_and_an_empty_one_is_none(db: Database, reader: Reader) -> None:
    write(db, AT, target_kind="workflow", target_ref="a")
    write(db, later(1), target_kind="workflow", target_ref="b", status="failed")
    write(db, later(2), target_kind="shell", task_id="another")

    def ask(**filters: Any) -> list[str]:
        return starts(task_history.query(db, Filters(**filters), reader))

    assert ask(target_kind="workflow") == [later(1), AT]
    assert ask(target_kind="workflow", target_ref="a") == [AT]
    assert ask(target_ref="b") == [later(1)]
    assert ask(target_kind="workflow", target_ref="a", status="failed") == []
    assert ask(task_id="nightly", status="failed") == [later(1)]
    empty = dict.fromkeys(("task_id", "since", "until", "status", "target_kind", "target_ref"), "")
    assert ask(**empty) == [later(2), later(1), AT]
    assert ask(limit=2) == [later(2), later(1)]
    assert ask(limit=0) == []


def test_latest_and_runs_are_of_one_task_newest_first(db: Database, reader: Reader) -> None:
    for number in range(60):
        write(db, later(number))
    write(db, later(99), task_id="another")
    assert starts(task_history.runs(db, "nightly", reader)) == [later(number) for number in range(59, 9, -1)]
    latest = task_history.latest(db, "nightly", reader)
    assert latest is not None
    assert latest["startedAt"] == later(59)
    assert task_history.latest(db, "nosuch", reader) is None


def test_attempts_of_the_same_moment_come_latest_written_first(db: Database, reader: Reader) -> None:
    for task_id in ("a", "b", "c"):
        write(db, task_id=task_id)
    assert [one["id"] for one in task_history.query(db, Filters(), reader)] == ["c", "b", "a"]


@pytest.mark.parametrize("analysed", [False, True])
@pytest.mark.parametrize(
    ("name", "index"),
    [
        ("TASKS_ANY", "idx_task_history_started"),
        ("TASKS_OF_ID", "idx_task_history_run"),
        ("TASKS_OF_TARGET", "idx_task_history_target"),
        ("TASK_INTERVALS", "idx_task_history_run"),
        ("TASK_FINALIZE", "idx_task_history_run"),
        ("TASKS_PRUNABLE", "idx_task_history_started"),
        ("TASKS_PRUNE", "idx_task_history_started"),
    ],
)
def test_an_index_serves_every_question(db: Database, name: str, index: str, analysed: bool) -> None:
    if analysed:
        for number in range(50):
            write(
                db,
                later(number),
                task_id=f"task-{number % 5}",
                target_kind="workflow",
                target_ref=f"{number}",
            )
        db.connection.execute("ANALYZE")
    statement = getattr(sql, name)
    values = statement.pick(dict.fromkeys(statement.params, "x") | {"limit": 5})
    plan = [
        step[3] for step in db.connection.execute(f"EXPLAIN QUERY PLAN {statement.text}", values).fetchall()
    ]
    # With statistics SQLite may as well follow the times of few rows, and spare the sorting.
    assert index in plan[0] or (analysed and "idx_task_history_started" in plan[0])
    assert "SCAN" not in " ".join(plan)
    # A target's rows are few enough to be sorted.
    assert name == "TASKS_OF_TARGET" or len(plan) == 1


def test_a_row_that_names_no_bundle_is_of_every_one(db: Database, reader: Reader) -> None:
    for number, bundle in enumerate(["team", "mine", None]):
        write(db, later(number), MARKED)
        query = "UPDATE task_history SET bundle = ? WHERE started_at = ?"
        db.connection.execute(query, (bundle, later(number)))
    found = task_history.query(db, Filters(task_id="nightly", bundle="team"), reader)
    assert starts(found) == [later(2), AT]
    assert [one.get("bundle") for one in found] == [None, "team"]
    assert starts(task_history.query(db, Filters(bundle="mine", limit=4), reader))[-1] == later(1)
    assert len(task_history.query(db, Filters(bundle=""), reader)) == 3
