"""The history of tasks: reserved before, finished once after, pruned or renamed only where it was meant."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from builders import AT, later, row, rows

from akm.services import task_history
from akm.services.task_history import Ended, Holder
from akm.store.database import Database
from akm.store.opening import open_database
from akm.views import task_history as views

HOLDER = Holder(41, "here", 7)
DONE = Ended("completed", later(2), 2000)


def reserved(db: Database, task_id: str = "nightly", at: str = AT) -> str:
    return task_history.reserve(db, task_id, at=at, holder=HOLDER)


def one(db: Database) -> dict[str, object]:
    return row(db, "SELECT * FROM task_history")


def test_a_reserved_attempt_is_open_and_names_its_holder(db: Database) -> None:
    assert reserved(db) == AT
    found = one(db)
    assert json.loads(str(found.pop("metadata_json"))) == {
        "metadataVersion": 2,
        "durationMs": 0,
        "detail": None,
        "targetVocab": 2,
        "holder": {"pid": 41, "host": "here", "processStartedAt": 7},
    }
    assert (found["task_id"], found["status"], found["started_at"]) == ("nightly", "active", AT)
    ending = ("completed_at", "failed_at", "log_path", "target_kind", "target_ref")
    assert [found[name] for name in ending] == [None] * 5


def test_a_taken_millisecond_gives_the_next_one(db: Database) -> None:
    assert [reserved(db) for _ in range(3)] == [AT, later(0.001), later(0.002)]
    assert reserved(db, "another") == AT


def test_a_millisecond_at_the_end_of_a_year_gives_the_next_year(db: Database) -> None:
    last = "2026-12-31T23:59:59.999Z"
    assert [reserved(db, at=last) for _ in range(2)] == [last, "2027-01-01T00:00:00.000Z"]


def test_eight_that_start_in_the_same_millisecond_are_eight_attempts(db: Database) -> None:
    def run(_number: int) -> bool:
        with open_database(Path(db.path), synchronous="normal") as own:
            return task_history.finalize(own, "nightly", reserved(own), DONE)

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(run, range(8))) == [True] * 8
    found = rows(db, "SELECT started_at, status FROM task_history ORDER BY started_at")
    assert [one["started_at"] for one in found] == [later(number / 1000) for number in range(8)]
    assert {one["status"] for one in found} == {"completed"}


def test_an_attempt_ends_once(db: Database) -> None:
    started_at = reserved(db)
    assert task_history.finalize(db, "nightly", started_at, DONE)
    before = one(db)
    assert not task_history.finalize(db, "nightly", started_at, DONE._replace(status="failed"))
    assert not task_history.record(db, "nightly", started_at, DONE._replace(status="failed"))
    assert not task_history.finalize(db, "nightly", later(9), DONE)
    assert one(db) == before


def test_a_workflow_that_stays_active_is_closed_all_the_same(db: Database) -> None:
    started_at = reserved(db)
    assert task_history.finalize(db, "nightly", started_at, DONE._replace(status="active"))
    assert not task_history.finalize(db, "nightly", started_at, DONE)


def test_what_was_not_reserved_is_written_whole(db: Database) -> None:
    ended = Ended(
        *("failed", later(2), 2000, "/logs/x.log", "command", None),
        detail={"reason": "timeout", "exitCode": 143},
        engine=None,
        has_engine=True,
    )
    assert task_history.record(db, "nightly", AT, ended)
    found = one(db)
    assert (found["failed_at"], found["completed_at"], found["log_path"]) == (
        later(2),
        later(2),
        "/logs/x.log",
    )
    assert json.loads(str(found["metadata_json"])) == {
        "metadataVersion": 2,
        "durationMs": 2000,
        "detail": {"reason": "timeout", "exitCode": 143},
        "targetVocab": 2,
        "engine": None,
    }


def test_an_empty_log_is_none_and_no_end_precedes_its_start(db: Database) -> None:
    task_history.record(db, "nightly", AT, Ended("failed", later(-5), -5000, log_path=""))
    found = one(db)
    assert (found["log_path"], found["completed_at"], found["failed_at"]) == (None, AT, AT)
    assert json.loads(str(found["metadata_json"]))["durationMs"] == 0


def test_an_unknown_ending_is_refused_before_anything_is_written(db: Database) -> None:
    with pytest.raises(ValueError, match="ends as one of"):
        task_history.record(db, "nightly", AT, DONE._replace(status="interrupted"))
    assert rows(db, "SELECT * FROM task_history") == []


def test_pruning_deletes_what_it_counted_and_nothing_open(db: Database) -> None:
    reserved(db, "open")
    for number in range(3):
        task_history.record(db, "nightly", later(number), DONE)
    task_history.record(db, "stopped", AT, DONE._replace(status="active"))
    assert views.prunable(db, older_than=later(2)) == 3
    assert task_history.prune(db, older_than=later(2)) == 3
    left = rows(db, "SELECT task_id, started_at FROM task_history ORDER BY id")
    assert [(one["task_id"], one["started_at"]) for one in left] == [("open", AT), ("nightly", later(2))]
