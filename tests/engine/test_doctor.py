"""Whatever contradicts itself in a ledger or beside it is found and named, and nothing is changed."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from builders import AT, a_wanted, attempt, dump, finished, later, publish, rows

from akm.engine import lock
from akm.engine.care import doctor
from akm.engine.lock import RunLock
from akm.errors import NotFoundError, TransientError
from akm.services import attempts, events, runs, steps, task_history
from akm.services.task_history import Holder
from akm.store.database import Database

Damage = Callable[[Database], object]
GONE = "00000000-0000-4000-8000-000000000000"


def nobody_lives(_pid: int, _started_at: int | None) -> bool:
    return False


def filled(db: Database) -> str:
    """Make one run of every kind, and return the completed one, which has a unit of two attempts."""
    run_id = publish(db)
    attempt(db, run_id, status="failed", failure_reason="timeout", tokens=3)
    attempt(db, run_id, result_json='"it"', session_id="s")
    attempt(db, run_id, "step-1#1")
    steps.complete(db, run_id, "step-1", status="completed", at=AT, summary="Done.", evidence_json="{}")
    runs.abandon(db, publish(db, 2), at=AT)
    parked = publish(db, 2)
    steps.complete(db, parked, "step-1", status="blocked", at=AT)
    running = publish(db)
    attempts.reserve(db, running, a_wanted("step-1:solo", node_id="step-1"), at=AT)
    # As the engine writes units of a fan-out, which these are by their node.
    db.connection.execute(
        "UPDATE workflow_run_units SET parent_unit_id = 'step-1.map' WHERE node_id = 'step-1.unit'"
    )
    return run_id


def checks(db: Database) -> dict[str, int]:
    found = doctor.examine(db.path, nobody_lives)["findings"]
    return {
        one["check"]: sum(other["count"] for other in found if other["check"] == one["check"])
        for one in found
    }


def change(statement: str, *values: Any) -> Damage:
    """Change rows past akm, whatever the tables' own rules say."""

    def act(db: Database) -> object:
        db.connection.execute("PRAGMA foreign_keys=OFF")
        db.connection.execute("PRAGMA ignore_check_constraints=ON")
        return db.connection.execute(statement, values)

    return act


def test_a_ledger_driven_by_the_services_is_sound(db: Database) -> None:
    filled(db)
    assert doctor.examine(db.path, nobody_lives) == {"path": str(db.path), "isSound": True, "findings": []}


PROJECTIONS = {
    "a row is missing": "DELETE FROM workflow_run_units WHERE unit_id = 'step-1'",
    "all rows are missing": "DELETE FROM workflow_run_units",
    "a row has no attempt": """INSERT INTO workflow_run_units (run_id, unit_id, node_id, status)
        SELECT id, 'stray', 'n', 'completed' FROM workflow_runs LIMIT 1""",
    "a row has another id": "UPDATE workflow_run_units SET unit_id = 'other' WHERE unit_id = 'step-1#1'",
    "it shows an earlier attempt": "UPDATE workflow_run_units SET attempts = 1 WHERE unit_id = 'step-1'",
} | {
    f"{column} is another": f"UPDATE workflow_run_units SET {column} = 'skipped' WHERE unit_id = 'step-1'"
    for column in (
        *("step_id", "node_id", "runner", "engine", "model", "status", "input_hash", "failure_reason"),
        *("worktree_path", "started_at", "finished_at", "session_id", "claim_holder", "claim_expires_at"),
        *("result_json", "tokens", "cost"),
    )
}


@pytest.mark.parametrize("damage", PROJECTIONS.values(), ids=PROJECTIONS)
def test_rows_of_units_are_rebuilt_as_they_were_driven(db: Database, damage: str) -> None:
    filled(db)
    before = rows(db, "SELECT * FROM workflow_run_units ORDER BY run_id, unit_id")
    change(damage)(db)
    assert "units" in checks(db)
    done = doctor.rebuild_units(db)
    assert sum(done.values()) >= 1
    assert rows(db, "SELECT * FROM workflow_run_units ORDER BY run_id, unit_id") == before
    assert checks(db) == {}
    assert doctor.rebuild_units(db) == {"deleted": 0, "written": 0}


def test_a_sound_projection_is_not_touched_and_pending_units_stay(db: Database) -> None:
    run_id = filled(db)
    change(
        "INSERT INTO workflow_run_units (run_id, unit_id, node_id, status) VALUES (?, 'u', 'n', 'pending')",
        run_id,
    )(db)
    before = dump(db)
    assert doctor.rebuild_units(db) == {"deleted": 0, "written": 0}
    assert dump(db) == before
    assert checks(db) == {}


def test_nothing_is_rebuilt_while_a_run_is_driven(db: Database) -> None:
    run_id = filled(db)
    change("DELETE FROM workflow_run_units")(db)
    driver = RunLock(lock.folder(db.path), run_id)
    driver.acquire(at=AT)
    try:
        with pytest.raises(TransientError, match="so nothing was rebuilt") as refused:
            doctor.rebuild_units(db)
        assert refused.value.code == "RUN_LEASE_HELD"
        assert rows(db, "SELECT 1 FROM workflow_run_units") == []
    finally:
        driver.release()


ROWS: dict[str, tuple[str, int, str]] = {
    "an attempt runs below a later one": (
        "attempts",
        1,
        "UPDATE workflow_run_unit_attempts SET status = 'running' WHERE unit_id = 'step-1' AND attempt = 1",
    ),
    "a start was not told": (
        "events",
        1,
        """DELETE FROM events WHERE id =
        (SELECT min(id) FROM events WHERE event_type = 'workflow_unit_started')""",
    ),
    "no end was told": ("events", 3, "DELETE FROM events WHERE event_type = 'workflow_unit_finished'"),
    "an end was told twice": (
        "events",
        1,
        """INSERT INTO events (event_type, ts, metadata_json) SELECT event_type, ts, metadata_json FROM events
        WHERE event_type = 'workflow_unit_finished' LIMIT 1""",
    ),
    "an event's run is gone": (
        "events",
        1,
        f"""INSERT INTO events (event_type, ts, metadata_json) VALUES ('x', '', '{{"runId":"{GONE}"}}')""",
    ),
    "an active run has completed steps": (
        "runs",
        1,
        "UPDATE workflow_runs SET status = 'active' WHERE status = 'completed'",
    ),
    "a run stands at another step": (
        "runs",
        1,
        "UPDATE workflow_runs SET current_step_id = 'step-2' WHERE status = 'blocked'",
    ),
    "an abandoned run stands at another step": (
        "runs",
        1,
        "UPDATE workflow_runs SET current_step_id = 'step-2' WHERE status = 'failed'",
    ),
    "a run has no steps": (
        "runs",
        1,
        """DELETE FROM workflow_run_steps WHERE run_id IN
        (SELECT id FROM workflow_runs WHERE status = 'blocked')""",
    ),
    "a row's run is missing": (
        "references",
        2,
        "DELETE FROM workflow_runs WHERE status = 'blocked'",
    ),
    "a plan is no JSON": ("json", 1, "UPDATE workflow_runs SET plan_json = '{' WHERE status = 'blocked'"),
    "a result is no JSON": (
        "json",
        1,
        "UPDATE workflow_run_unit_attempts SET result_json = 'x' WHERE attempt = 2",
    ),
    "metadata is no JSON": ("json", 1, "UPDATE events SET metadata_json = '' WHERE id = 1"),
}


@pytest.mark.parametrize(("check", "count", "damage"), ROWS.values(), ids=ROWS)
def test_rows_that_contradict_one_another_are_found(
    db: Database, check: str, count: int, damage: str
) -> None:
    filled(db)
    change(damage)(db)
    assert checks(db)[check] == count


def test_only_what_needs_a_person_makes_a_ledger_unsound(db: Database) -> None:
    filled(db)
    change("DELETE FROM events WHERE event_type = 'workflow_unit_finished'")(db)
    found = doctor.examine(db.path, nobody_lives)
    assert found["isSound"]
    change("UPDATE workflow_runs SET status = 'active' WHERE status = 'completed'")(db)
    found = doctor.examine(db.path, nobody_lives)
    assert not found["isSound"]
    assert [one["severity"] for one in found["findings"]] == ["error", "warning"]
    assert all(one["remedy"] and one["message"] and one["examples"] for one in found["findings"])


def test_files_of_runs_that_are_gone_or_completed_are_found(db: Database, tmp_path: Path) -> None:
    completed = filled(db)
    waiting = rows(db, "SELECT id FROM workflow_runs WHERE status = 'blocked'")[0]["id"]
    for run_id in (GONE, completed, waiting):
        lock.folder(db.path).mkdir(exist_ok=True)
        lock.lock_path(lock.folder(db.path), run_id).touch()
        (tmp_path / "worktrees" / run_id).mkdir(parents=True)
    assert checks(db) == {"locks": 2, "worktrees": 1}
    driver = RunLock(lock.folder(db.path), GONE)
    driver.acquire(at=AT)
    try:
        assert checks(db)["locks"] == 1
    finally:
        driver.release()


def test_half_written_files_and_kept_copies_are_found(db: Database, tmp_path: Path) -> None:
    for name in (
        ".state.db.7.partial",
        ".state.db.7.partial-wal",
        "state.db.before-0001-2026Z.bak.7.partial",
    ):
        (tmp_path / name).touch()
    for name in ("state.db.before-restore-2026Z", "state.db.before-0001-2026Z.bak", "other.db.7.partial"):
        (tmp_path / name).touch()
    assert checks(db) == {"drafts": 3, "copies": 2}
    everybody = doctor.examine(db.path, lambda _pid, _started: True)
    assert [one["check"] for one in everybody["findings"]] == ["copies"]
    assert everybody["isSound"]


def test_open_attempts_of_tasks_whose_process_is_gone_are_counted(db: Database) -> None:
    task_history.reserve(db, "nightly", at=AT, holder=Holder(1, os.uname().nodename, 7))
    assert checks(db) == {"tasks": 1}
    assert doctor.examine(db.path, lambda _pid, _started: True)["findings"] == []


def test_the_file_is_not_changed_by_a_single_byte(db: Database) -> None:
    filled(db)
    change("DELETE FROM workflow_run_units")(db)
    db.close()
    before = hashlib.sha256(db.path.read_bytes()).digest()
    assert not doctor.examine(db.path, nobody_lives)["isSound"]
    assert hashlib.sha256(db.path.read_bytes()).digest() == before


@pytest.mark.parametrize("kept", [0, 50, 100, 4096, 8192, 40_960])
def test_of_a_damaged_file_one_sentence_is_told_for_each_check_and_nothing_breaks(
    db: Database, kept: int
) -> None:
    for number in range(40):
        attempt(db, publish(db), at=later(number))
    db.close()
    whole = db.path.read_bytes()
    db.path.write_bytes(whole[:kept] + b"\xff" * (len(whole) - kept))
    found = doctor.examine(db.path, nobody_lives)
    assert not found["isSound"]
    assert all(one["message"].count("\n") == 0 for one in found["findings"])
    assert len({one["message"] for one in found["findings"]}) == len(found["findings"])


def test_whichever_page_is_damaged_nothing_breaks_and_no_sentence_is_told_twice(
    db: Database, tmp_path: Path
) -> None:
    attempt(db, publish(db))
    (size,) = db.connection.execute("PRAGMA page_size").fetchone()
    db.close()
    whole, path = db.path.read_bytes(), tmp_path / "damaged.db"
    for start in range(0, len(whole), size):
        path.write_bytes(whole[:start] + b"\xff" * size + whole[start + size :])
        found = doctor.examine(path, nobody_lives)
        assert not found["isSound"]
        assert len({one["message"] for one in found["findings"]}) == len(found["findings"])


def test_a_file_of_another_revision_or_schema_is_told_and_its_rows_are_left_alone(db: Database) -> None:
    filled(db)
    change("UPDATE alembic_version SET version_num = '9999'")(db)
    assert checks(db) == {"revision": 1}
    change("DROP TABLE alembic_version")(db)
    assert checks(db) == {"revision": 1}


def test_a_schema_that_drifted_is_told(db: Database) -> None:
    change("ALTER TABLE workflow_runs ADD COLUMN more TEXT")(db)
    assert checks(db) == {"schema": 1}


def test_a_file_that_is_missing_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        doctor.examine(tmp_path / "state.db", nobody_lives)
    assert list(tmp_path.iterdir()) == []


def test_a_ledger_is_examined_while_it_is_written(db: Database) -> None:
    run_id = publish(db)
    with sqlite3.connect(db.path, timeout=5) as other:
        reserved = attempts.reserve(db, run_id, a_wanted(), at=AT)
        assert checks(db) == {}
        attempts.finish(db, run_id, finished(reserved), at=AT)
        events.record(db, "env_access", at=AT, metadata={"keys": 1})
        assert checks(db) == {}
    other.close()
