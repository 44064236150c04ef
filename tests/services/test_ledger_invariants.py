"""Whatever sequence of services a run goes through, its rows agree with one another."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path

from builders import a_wanted, dump, finished, moments, publish, row, rows
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from akm import states
from akm.errors import UsageError
from akm.services import attempts, runs, steps
from akm.services.attempts import Reservation
from akm.states import StepState
from akm.store.database import Database
from akm.store.opening import open_database

UNITS = st.sampled_from(["a", "b", "b#2"])
ACTS = st.one_of(
    st.tuples(st.just("reserve"), UNITS),
    st.tuples(st.just("finish"), UNITS, st.sampled_from(["completed", "failed", "skipped"])),
    st.tuples(st.just("finish stale"), UNITS),
    st.tuples(st.just("resume")),
    st.tuples(st.just("abandon")),
    st.tuples(st.just("complete"), st.sampled_from(["completed", "failed", "blocked", "skipped"])),
)
SHARED = (
    "step_id, node_id, phase, runner, input_hash, status, result_json, tokens, failure_reason, worktree_path"
)


class Life:
    """One run that is acted on, with every attempt that was ever handed out for it."""

    def __init__(self, db: Database) -> None:
        self.db = db
        self.now = moments()
        self.run_id = publish(db, 3)
        self.handed_out: dict[str, list[Reservation]] = {}

    def act(self, kind: str, *values: str) -> None:
        if kind == "reserve":
            reserved = attempts.reserve(self.db, self.run_id, a_wanted(values[0]), at=self.now())
            self.handed_out.setdefault(values[0], []).append(reserved)
        elif kind == "resume":
            runs.resume(self.db, self.run_id, at=self.now())
        elif kind == "abandon":
            runs.abandon(self.db, self.run_id, at=self.now())
        elif kind == "complete":
            step = row(self.db, "SELECT current_step_id AS id FROM workflow_runs")["id"] or "step-3"
            steps.complete(self.db, self.run_id, step, status=values[0], at=self.now(), summary="Done.")
        elif values[0] in self.handed_out:
            number = 0 if kind == "finish stale" else -1
            ending = finished(self.handed_out[values[0]][number], (*values, "failed")[1], tokens=1)
            attempts.finish(self.db, self.run_id, ending, at=self.now())

    def check(self) -> None:
        self._attempts_count_without_gaps()
        self._units_are_their_latest_attempts()
        self._events_match_the_journal()
        self._run_follows_from_its_steps()

    def _attempts_count_without_gaps(self) -> None:
        for unit_id in self.handed_out:
            journal = rows(
                self.db,
                "SELECT attempt, status FROM workflow_run_unit_attempts WHERE unit_id = ? ORDER BY attempt",
                unit_id,
            )
            assert [one["attempt"] for one in journal] == list(range(1, len(journal) + 1))
            # Only the newest attempt can be running, so at most one is.
            assert all(one["status"] != "running" for one in journal[:-1])

    def _units_are_their_latest_attempts(self) -> None:
        latest = f"""SELECT unit_id, attempt, {SHARED} FROM workflow_run_unit_attempts AS a
            WHERE attempt = (SELECT max(attempt) FROM workflow_run_unit_attempts WHERE unit_id = a.unit_id)
            ORDER BY unit_id"""
        units = f"SELECT unit_id, attempts AS attempt, {SHARED} FROM workflow_run_units ORDER BY unit_id"
        assert rows(self.db, units) == rows(self.db, latest)

    def _events_match_the_journal(self) -> None:
        journal = rows(self.db, "SELECT dispatch_id, status FROM workflow_run_unit_attempts")
        events = rows(self.db, "SELECT event_type, metadata_json FROM events")
        told = Counter(
            (event["event_type"], metadata["dispatchId"], metadata["status"])
            for event in events
            if "dispatchId" in (metadata := json.loads(event["metadata_json"]))
        )
        expected = Counter(("workflow_unit_started", one["dispatch_id"], "running") for one in journal)
        expected += Counter(
            ("workflow_unit_finished", one["dispatch_id"], one["status"])
            for one in journal
            if one["status"] != "running"
        )
        assert told == expected

    def _run_follows_from_its_steps(self) -> None:
        spine = rows(
            self.db,
            "SELECT step_id, status, completed_at FROM workflow_run_steps ORDER BY sequence_index",
        )
        derived = states.derive(StepState(*step.values()) for step in spine)
        run = row(self.db, "SELECT status, current_step_id, completed_at FROM workflow_runs")
        was_abandoned = run["status"] == "failed" and run["completed_at"] is not None
        if was_abandoned:
            assert run["current_step_id"] == derived.current_step_id
        else:
            assert tuple(run.values()) == derived


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(acts=st.lists(ACTS, max_size=25))
def test_any_sequence_of_services_keeps_the_ledger_consistent(
    acts: list[tuple[str, ...]], migrated: Path, tmp_path: Path
) -> None:
    path = Path(shutil.copyfile(migrated, tmp_path / "state.db"))
    with open_database(path, synchronous="off") as db:
        life = Life(db)
        for kind, *values in acts:
            before = dump(db)
            try:
                life.act(kind, *values)
            except UsageError:
                assert dump(db) == before
            life.check()
