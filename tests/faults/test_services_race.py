"""Every service, racing itself in two processes on one file, has exactly one winner."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import campaign
import pytest
import racing_acts
from builders import AT, later, publish, rows
from racing import Racers
from service_calls import CALLS, public_services

from akm.store.database import Database
from akm.store.opening import open_database

ROUNDS = 4


def one_reserved(answers: list[Any], db: Database) -> None:
    assert sorted(answer.is_reclaimed for answer in answers) == [False, True]
    assert len({(answer.attempt, answer.dispatch_id) for answer in answers}) == 1
    assert len(rows(db, "SELECT 1 FROM workflow_run_unit_attempts")) == 1
    assert len(rows(db, "SELECT 1 FROM events WHERE event_type = 'workflow_unit_started'")) == 1


def one_finished(answers: list[Any], db: Database) -> None:
    assert sorted(answers) == [False, True]
    assert len(rows(db, "SELECT 1 FROM events WHERE event_type = 'workflow_unit_finished'")) == 1


def one_advanced(answers: list[Any], db: Database) -> None:
    assert sorted(answer.landed for answer in answers) == [(False,), (True,)]
    first, second = (answer.reserved for answer in answers)
    assert [one.dispatch_id for one in first] == [one.dispatch_id for one in second]
    assert all(one.is_reclaimed != other.is_reclaimed for one, other in zip(first, second, strict=True))
    assert len(rows(db, "SELECT 1 FROM workflow_run_unit_attempts")) == 3


def one_published(answers: list[Any], db: Database) -> None:
    assert answers.count(None) == 1
    assert [answer.split(":")[0] for answer in answers if answer] == ["UsageError RESOURCE_ALREADY_EXISTS"]
    assert len(rows(db, "SELECT 1 FROM workflow_runs")) == 1
    assert len(rows(db, "SELECT 1 FROM workflow_run_steps")) == 2


def one_child(answers: list[Any], db: Database) -> None:
    (child,) = rows(db, "SELECT id FROM workflow_runs WHERE parent_run_id IS NOT NULL")
    assert [answer.id for answer in answers] == [child["id"]] * 2
    assert len(rows(db, "SELECT 1 FROM workflow_run_steps WHERE run_id = ?", child["id"])) == 2
    assert len(rows(db, "SELECT 1 FROM events WHERE event_type = 'workflow_started'")) == 2


def one_event(kind: str) -> Callable[[list[Any], Database], None]:
    def check(answers: list[Any], db: Database) -> None:
        losers = [answer for answer in answers if answer is False or str(answer).startswith("UsageError")]
        assert len(losers) == 1, answers
        assert len(rows(db, "SELECT 1 FROM events WHERE event_type = ?", kind)) == 1

    return check


def one_fork(answers: list[Any], db: Database) -> None:
    assert answers.count(None) == 1
    assert [answer.split(":")[0] for answer in answers if answer] == ["UsageError RESOURCE_ALREADY_EXISTS"]
    assert len(rows(db, "SELECT 1 FROM workflow_runs")) == 2


def both_written(answers: list[Any], db: Database) -> None:
    assert answers in ([None, None], [True, True])
    assert len(rows(db, "SELECT 1 FROM events")) == 2


def two_attempts(answers: list[Any], db: Database) -> None:
    assert sorted(answers) == [AT, later(0.001)]
    assert len(rows(db, "SELECT 1 FROM task_history WHERE status = 'active'")) == 2


def one_landed(answers: list[Any], db: Database) -> None:
    assert sorted(answers) == [False, True]
    assert len(rows(db, "SELECT 1 FROM task_history WHERE status = 'completed'")) == 1


def one_admitted(answers: list[Any], db: Database) -> None:
    assert sorted(answers) == [False, True]
    assert len(rows(db, "SELECT 1 FROM workflow_runs")) == 2
    assert len(rows(db, "SELECT 1 FROM workflow_run_unit_attempts")) == 1
    assert len(rows(db, "SELECT 1 FROM events")) == 4


def one_kept(answers: list[Any], db: Database) -> None:
    assert answers == [None, None]
    assert rows(db, "SELECT etag, index_json FROM registry_index_cache") == [
        {"etag": None, "index_json": "[]"}
    ]


def one_renewed(answers: list[Any], db: Database) -> None:
    assert sorted(answers) == [False, True]
    assert rows(db, "SELECT fetched_at FROM registry_index_cache") == [{"fetched_at": later(1)}]


def one_counted(answers: list[Any], _db: Database) -> None:
    assert sorted(answers) == [0, 1]


def one_adopted(answers: list[Any], db: Database) -> None:
    assert sorted(sum(answer.copied.values()) for answer in answers) == [0, 8]
    assert sorted(sum(answer.duplicates.values()) for answer in answers) == [0, 8]
    assert len(rows(db, "SELECT 1 FROM workflow_runs")) == 1
    assert len(rows(db, "SELECT 1 FROM events WHERE event_type = 'ledger_adopted'")) == 1


def one_moved(answers: list[Any], db: Database) -> None:
    # A run starts with an event of its own.
    assert sorted(answers) == [(0, 0, 0), (1, 1, 1)]
    assert len(rows(db, "SELECT 1 FROM events WHERE event_type = 'bundle_renamed'")) == 1


def one_concluded(answers: list[Any], db: Database) -> None:
    assert sorted(answers) == [False, True]
    assert rows(db, "SELECT 1 FROM events WHERE idempotency_key IS NOT NULL") == []


def one_pruned(answers: list[Any], db: Database) -> None:
    assert sorted(answer.rows for answer in answers) == [(0, 0, 0, 0), (2, 3, 1, 1)]
    assert rows(db, "SELECT 1 FROM workflow_runs") == []


def one_swept(answers: list[Any], db: Database) -> None:
    assert sorted(answer.deleted for answer in answers) == [0, 1]
    assert rows(db, "SELECT 1 FROM events") == []


def one_rebuilt(answers: list[Any], db: Database) -> None:
    assert sorted(answers) == [(0, 0), (1, 1)]
    assert len(rows(db, "SELECT 1 FROM workflow_run_units")) == 1


WINNERS: dict[str, Callable[[list[Any], Database], None]] = {
    "adoption.adopt": one_adopted,
    "attempts.reserve": one_reserved,
    "attempts.finish": one_finished,
    "attempts.advance": one_advanced,
    "runs.publish": one_published,
    "runs.publish_child": one_child,
    "runs.resume": one_event("workflow_resumed"),
    "runs.abandon": one_event("workflow_abandoned"),
    "steps.complete": one_event("workflow_step_completed"),
    "run_imports.admit": one_admitted,
    "pruning.prune_runs": one_pruned,
    "pruning.sweep_events": one_swept,
    "rebuilding.rebuild_units": one_rebuilt,
    "steps.complete (judged)": one_event("workflow_unit_finished"),
    "approvals.approve": one_event("workflow_approved"),
    "approvals.reject": one_event("workflow_rejected"),
    "approvals.reject (sent back)": one_event("workflow_rejected"),
    "forks.fork": one_fork,
    "events.record": both_written,
    "events.record_once": one_event("env_access"),
    "events.try_record": both_written,
    "task_history.reserve": two_attempts,
    "task_history.finalize": one_landed,
    "task_history.record": one_landed,
    "task_history.prune": one_counted,
    "bundle_rename.rename": one_moved,
    "bundle_rename.conclude": one_concluded,
    "registry_cache.put": one_kept,
    "registry_cache.renew": one_renewed,
    "registry_cache.clear": one_counted,
}


def test_every_service_has_a_race() -> None:
    assert {name.partition(" ")[0] for name in WINNERS} == public_services()


@pytest.mark.parametrize("name", WINNERS)
def test_a_service_that_races_itself_has_one_winner(
    name: str, migrated: Path, tmp_path: Path, racers: Racers
) -> None:
    for turn in range(ROUNDS):
        path = Path(shutil.copyfile(migrated, tmp_path / f"{turn}.db"))
        with open_database(path, synchronous="normal") as db:
            value = CALLS[name].prepare(db)
            answers = racers.race(path, CALLS[name].act, value)
            WINNERS[name](answers, db)
            campaign.inject("race")


def test_every_unit_is_claimed_by_exactly_one_process(db: Database, racers: Racers) -> None:
    run_id = publish(db)
    first, second = racers.race(db.path, racing_acts.claim_all, (run_id, 200))
    assert sorted([*first, *second]) == sorted(f"unit-{number}" for number in range(200))
    assert len(rows(db, "SELECT 1 FROM workflow_run_unit_attempts WHERE attempt = 1")) == 200
    assert len(rows(db, "SELECT 1 FROM events WHERE event_type = 'workflow_unit_started'")) == 200


def test_every_attempt_has_one_start_and_one_end_whoever_drives(db: Database, racers: Racers) -> None:
    run_id = publish(db)
    landed = racers.race(db.path, racing_acts.dispatch_all, (run_id, 100))
    journal = rows(db, "SELECT status FROM workflow_run_unit_attempts")
    assert {one["status"] for one in journal} == {"completed"}
    assert len(journal) == sum(landed)
    for kind in ("workflow_unit_started", "workflow_unit_finished"):
        assert len(rows(db, "SELECT 1 FROM events WHERE event_type = ?", kind)) == len(journal)
    gaps = (
        """SELECT unit_id FROM workflow_run_unit_attempts GROUP BY unit_id HAVING max(attempt) <> count(*)"""
    )
    assert rows(db, gaps) == []
