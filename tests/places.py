"""A project with its own ledger, in which a test writes workflow files and drives them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import workflow_files
from builders import row, rows

from akm.engine import driver, lock, workplace
from akm.engine.driver import Options
from akm.engine.result import RunResult
from akm.engine.runners.base import Dispatch, Outcome
from akm.store.database import Database
from akm.workflow.plan import UnitNode


@dataclass
class Place:
    """A project directory and the ledger that its runs are in."""

    root: Path
    db: Database
    dispatched: list[Dispatch] = field(default_factory=list)

    @property
    def work(self) -> workplace.Workplace:
        return workplace.here(self.root)

    def write(self, *steps: dict[str, Any], name: str = "w", **top: Any) -> Path:
        """Write a workflow file of these steps."""
        return workflow_files.write(self.root, name, workflow_files.a_file(*steps, **top))

    def run(self, target: str = "w", given: Any = (), **options: Any) -> RunResult:
        """Drive a target with real processes."""
        return driver.run(self.db, self.work, target, given=given, options=Options(**options))

    def fake(
        self, act: Callable[[Dispatch], Outcome], target: str = "w", given: Any = (), **options: Any
    ) -> RunResult:
        """Drive a target with `act` in place of processes; each dispatch is remembered."""

        def runner(dispatch: Dispatch) -> Outcome:
            self.dispatched.append(dispatch)
            return act(dispatch)

        def choose(_node: UnitNode) -> Callable[[Dispatch], Outcome]:
            return runner

        return self.run(target, given, runner_for=choose, **options)

    def rows(self, query: str, *values: Any) -> list[dict[str, Any]]:
        return rows(self.db, query, *values)

    def row(self, query: str, *values: Any) -> dict[str, Any]:
        return row(self.db, query, *values)

    def attempts(self) -> list[tuple[str, int, str, str | None]]:
        """List the journal as (unit, attempt, status, reason)."""
        query = "SELECT * FROM workflow_run_unit_attempts ORDER BY unit_id, attempt"
        return [
            (one["unit_id"], one["attempt"], one["status"], one["failure_reason"]) for one in self.rows(query)
        ]

    def output(self, step_id: str) -> Any:
        """Read the output of a step of the only run."""
        found = self.row("SELECT evidence_json FROM workflow_run_steps WHERE step_id = ?", step_id)
        return json.loads(found["evidence_json"])["output"]

    def status(self) -> str:
        """Return the only run's status."""
        return str(self.row("SELECT status FROM workflow_runs")["status"])

    @property
    def locks(self) -> Path:
        """Return the folder of the runs' locks."""
        return lock.folder(self.db.path)

    def lock_files(self) -> list[Path]:
        """List the files that drivers left in the folder of locks."""
        return sorted(self.locks.glob("*"))


def a_place(root: Path, db: Database) -> Place:
    """Make a project in the folder `root`, which is made as well."""
    (root / ".git").mkdir(parents=True)
    return Place(root, db)
