"""Any sequence of services on a real ledger leaves the rows that a plain model of runs says it does."""

from __future__ import annotations

from pathlib import Path

import effort
from builders import a_child, a_run, a_spine, later, rows, taken_away
from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule, run_state_machine_as_test
from ledger_model import ModelRun, Row
from ledger_state import RUN, RUNS, STEP, STEPS, UNKNOWN, picked
from step_rules import StepRules

from akm.services import bundle_rename, forks, pruning, rebuilding, run_imports, runs
from akm.store import run_rows
from akm.views import pruning as prunable

MOST_RUNS = 12


class LedgerMachine(StepRules):
    """What is done to whole runs."""

    @initialize(steps=st.integers(1, 3))
    def begin(self, steps: int) -> None:
        """Begin with a run, its child and the child's own, so that most acts have something to act on."""
        self.publish("a", steps, False)
        self.publish_child(next(iter(self.model.runs)), "k", 2)
        self.publish_child(list(self.model.runs)[-1], "k", 1)

    def _spine(self, steps: int) -> list[Row]:
        return [picked(STEP, {**one._asdict(), "status": "pending"}) for one in a_spine(steps)]

    @rule(hours=st.sampled_from([-1, 0, 1]))
    def set_the_clock(self, hours: int) -> None:
        self.shift = hours * 3600

    @rule(scope=st.sampled_from("ab"), steps=st.integers(1, 3), force=st.booleans())
    def publish(self, scope: str, steps: int, force: bool) -> None:
        run = a_run(scope_key=scope, created_at=self.at())
        real = self.told(
            lambda: runs.publish(self.db, run, a_spine(steps), refs=(run.workflow_ref,), force=force)
        )
        assert real == self.model.publish(picked(RUN, run._asdict()), self._spine(steps), force=force)

    @rule(parent=RUNS, key=st.sampled_from("kl"), steps=st.integers(1, 2))
    def publish_child(self, parent: str, key: str, steps: int) -> None:
        if parent not in self.model.runs or len(self.model.runs) > MOST_RUNS:
            return
        run = a_child(parent, key, created_at=self.at())
        real = self.told(lambda: runs.publish_child(self.db, run, a_spine(steps)))
        assert real.id == self.model.publish_child(picked(RUN, run._asdict()), self._spine(steps))

    @rule(source=RUNS, position=st.integers(0, 2), with_units=st.booleans(), force=st.booleans())
    def fork(self, source: str, position: int, with_units: bool, force: bool) -> None:
        known = self.model.runs.get(source)
        if known is not None and position >= len(known.steps):
            return
        size = 3 if known is None else len(known.steps)
        link = {"forked_from_run_id": source, "forked_from_step_id": STEPS[position]}
        run = a_run(scope_key="a", current_step_id=STEPS[position], created_at=self.at(), **link)
        left = a_spine(size)[position:]
        real = self.told(
            lambda: forks.fork(self.db, run, left, at=run.created_at, with_units=with_units, force=force)
        )
        fresh = self._spine(size)[position:]
        row = picked(RUN, run._asdict())
        assert real == self.model.fork(row, fresh, with_units=with_units, force=force)
        if real is None:
            self._learn(self.model.runs[run.id])

    def _learn(self, run: ModelRun) -> None:
        """Take over the ids of dispatches that were copied, which must be new ones."""
        query = "SELECT unit_id, dispatch_id FROM workflow_run_unit_attempts WHERE run_id = ?"
        for copied in rows(self.db, query, run.row["id"]):
            assert copied["dispatch_id"] != run.units[copied["unit_id"]][0]["dispatch_id"]
            run.units[copied["unit_id"]][0]["dispatch_id"] = copied["dispatch_id"]

    @rule()
    def name_no_run(self) -> None:
        self.resume(UNKNOWN)
        self.abandon(UNKNOWN)
        self.reserve(UNKNOWN, "step-1")
        self.advance(UNKNOWN, [], "completed", None, ["step-1"])
        self.complete(UNKNOWN, None, "failed", (None, None), None, None)
        self.decide(UNKNOWN, None, "yes")
        self.fork(UNKNOWN, 0, False, True)

    @rule(run_id=RUNS)
    def resume(self, run_id: str) -> None:
        at = self.at()
        assert self.told(lambda: runs.resume(self.db, run_id, at=at)) == self.model.resume(run_id, at)

    @rule(run_id=RUNS)
    def abandon(self, run_id: str) -> None:
        at = self.at()
        assert self.told(lambda: runs.abandon(self.db, run_id, at=at)) == self.model.abandon(run_id, at)

    @rule(keep=st.none() | st.integers(0, 2), seconds=st.none() | st.integers(0, 60))
    def look_for_old_runs(self, keep: int | None, seconds: int | None) -> None:
        rule = prunable.Rule(None if seconds is None else later(seconds), keep)
        self.seen = prunable.select(self.db, rule, ()).trees
        for run in (run for tree in self.seen for run in tree):
            assert self.model.runs[run.id].status in prunable.OVER

    @rule(ended=st.none() | RUNS, grows=st.booleans())
    def prune(self, ended: str | None, grows: bool) -> None:
        """Delete what was seen to be old, as far as it is what was seen: maybe it has got a child since."""
        if ended is not None:
            self.abandon(ended)
            self.look_for_old_runs(None, None)
        if grows and self.seen:
            self.publish_child(self.seen[0][0].id, "m", 1)
        gone = [run.id for tree in self.seen if self._is_unchanged(tree) for run in tree]
        deleted = pruning.prune_runs(self.db, self.seen)
        assert sorted(deleted.run_ids) == sorted(gone)
        assert deleted.rows.workflow_run_steps == sum(len(self.model.runs[one].steps) for one in gone)
        for run_id in gone:
            del self.model.runs[run_id]

    def _is_unchanged(self, tree: prunable.Tree) -> bool:
        ids = {run.id for run in tree}
        below = {one.row["id"] for run_id in ids for one in self.model.children(run_id)}
        return below <= ids and all(
            run.id in self.model.runs and picked(run._fields, self.model.runs[run.id].row) == run._asdict()
            for run in tree
        )

    @rule()
    def sweep(self) -> None:
        left = [event for event in self.model.events if not self.model.is_left(event[2])]
        swept = pruning.sweep_events(self.db)
        assert (swept.deleted, swept.is_last) == (len(self.model.events) - len(left), True)
        self.model.events = left

    @rule(damages=st.booleans())
    def rebuild(self, damages: bool) -> None:
        units = rows(self.db, "SELECT count(*) AS n FROM workflow_run_units")[0]["n"]
        if damages:
            with self.db.immediate():
                self.db.connection.execute("UPDATE workflow_run_units SET unit_id = unit_id || '?'")
        written = units if damages else 0
        assert rebuilding.rebuild_units(self.db) == (written, written)

    @rule(run_id=RUNS, leaves=st.booleans())
    def take_away_and_back(self, run_id: str, leaves: bool) -> None:
        """What a ledger has already is not changed, and what went away comes back as it was."""
        if run_id == UNKNOWN:
            return
        with self.db.read() as tx:
            found = run_rows.tree(tx, run_id)
        if leaves:
            assert taken_away(self.db, run_id) == found
        assert run_imports.admit(self.db, found) == leaves

    @rule(back=st.booleans())
    def rename(self, back: bool) -> None:
        old, new = ("crew", "team") if back else ("team", "crew")
        moved = bundle_rename.rename(self.db, old, new, at=self.at())
        expected = self.model.rename(old, new)
        assert (moved.workflow_runs, moved.events) == expected
        counts = {"taskHistory": 0, "workflowRuns": expected[0], "events": expected[1]}
        self.model.events.append(("bundle_renamed", None, {"old": old, "new": new} | counts, None))
        assert bundle_rename.conclude(self.db, old, new)


def test_any_sequence_of_services_leaves_the_rows_of_the_model(migrated: Path, tmp_path: Path) -> None:
    run_state_machine_as_test(
        lambda: LedgerMachine(migrated, tmp_path), settings=effort.examples(150, stateful_step_count=50)
    )
