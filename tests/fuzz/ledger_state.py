"""A real ledger beside its model, and what must hold of the two after every act."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import effort
from builders import dump, later, rows
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant
from ledger_model import Model, Row
from refusals import REFUSED, outcome

from akm.services.attempts import Finished
from akm.store.opening import open_database
from akm.views import health
from akm.views import pruning as prunable

STEPS = ("step-1", "step-2", "step-3")
BORN = ("id", "workflow_ref", "status", "current_step_id", "created_at", "updated_at", "scope_key")
LINKS = ("parent_run_id", "invocation_key", "forked_from_run_id", "forked_from_step_id")
RUN = (*BORN, "completed_at", *LINKS)
ENDED = ("status", "notes", "evidence_json", "summary", "completed_at")
STEP = ("step_id", "sequence_index", *ENDED)
WANTED = ("unit_id", "step_id", "node_id", "phase", "runner", "input_hash")
RESULT = ("status", "result_json", "tokens", "failure_reason", "started_at", "finished_at")
ATTEMPT = (*WANTED, "attempt", "dispatch_id", *RESULT)
UNKNOWN = "00000000-0000-4000-8000-000000000000"

machines: Any = st.runner()
#: A run of the ledger; the unknown one only when there is none.
RUNS = machines.flatmap(lambda machine: st.sampled_from([*machine.model.runs] or [UNKNOWN]))


def picked(columns: Sequence[str], row: Row) -> Row:
    return {name: row.get(name) for name in columns}


class Ledger(RuleBasedStateMachine):
    """A ledger and its model, both acted on alike. `handed_out` are all attempts that were ever reserved."""

    def __init__(self, migrated: Path, folder: Path) -> None:
        super().__init__()
        effort.tried()
        path = Path(shutil.copyfile(migrated, folder / "state.db"))
        self.db = open_database(path, synchronous="off")
        self.model = Model()
        self.handed_out: dict[str, list[Finished]] = {}
        self.seen: Sequence[prunable.Tree] = ()
        self.ticks, self.shift = count(), 0

    def teardown(self) -> None:
        self.db.close()

    def at(self) -> str:
        return later(next(self.ticks) + self.shift)

    def told(self, act: Callable[[], Any]) -> Any:
        """Act; what akm refuses is said in one sentence and has changed nothing."""
        before = dump(self.db)
        found = outcome(act)
        if found == REFUSED:
            assert dump(self.db) == before
        return found

    @invariant()
    def the_rows_are_those_of_the_model(self) -> None:
        shown = {
            name: ", ".join(columns) for name, columns in (("run", RUN), ("step", STEP), ("unit", ATTEMPT))
        }
        assert rows(self.db, f"SELECT {shown['run']} FROM workflow_runs ORDER BY id") == sorted(
            (run.row for run in self.model.runs.values()), key=lambda row: row["id"]
        )
        for run_id, run in self.model.runs.items():
            steps = f"SELECT {shown['step']} FROM workflow_run_steps WHERE run_id = ? ORDER BY sequence_index"
            assert rows(self.db, steps, run_id) == run.steps
            journal = "FROM workflow_run_unit_attempts WHERE run_id = ? ORDER BY unit_id, attempt"
            expected = [attempt for unit_id in sorted(run.units) for attempt in run.units[unit_id]]
            assert rows(self.db, f"SELECT {shown['unit']} {journal}", run_id) == [
                picked(ATTEMPT, one) for one in expected
            ]
            names = [name for name in ATTEMPT if name not in ("dispatch_id", "attempt")]
            units = f"SELECT {', '.join(names)}, attempts AS attempt FROM workflow_run_units"
            latest = [run.units[unit_id][-1] for unit_id in sorted(run.units)]
            assert rows(self.db, f"{units} WHERE run_id = ? ORDER BY unit_id", run_id) == [
                picked((*names, "attempt"), one) for one in latest
            ]

    @invariant()
    def the_events_are_those_of_the_model(self) -> None:
        found = rows(self.db, "SELECT event_type, ref, metadata_json FROM events")
        assert self.model.told() == Counter(
            (event["event_type"], event["ref"], tuple(sorted(json.loads(event["metadata_json"]).items())))
            for event in found
        )

    @invariant()
    def the_doctor_finds_nothing(self) -> None:
        assert rows(self.db, "PRAGMA integrity_check") == [{"integrity_check": "ok"}]
        assert rows(self.db, "PRAGMA foreign_key_check") == []
        left = sum(self.model.is_left(metadata) for _kind, _ref, metadata, _key in self.model.events)
        found = [(one.check, one.count) for one in health.findings(self.db)]
        assert found == ([("events", left)] if left else [])
