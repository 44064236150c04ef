"""Tasks made from values and run against a ledger of the test's own."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from builders import rows

from akm.engine import workplace
from akm.store.database import Database
from akm.store.opening import open_database
from akm.tasks.execution import run
from akm.tasks.execution.result import TaskResult
from akm.tasks.files.task import Shell, Target, Task


@dataclass
class Bench:
    """A bundle's folder and a ledger; `warnings` are what the runs said."""

    root: Path
    path: Path
    environment: dict[str, str] = field(default_factory=lambda: dict(os.environ))
    warnings: list[str] = field(default_factory=list)

    def opened(self) -> Database:
        return open_database(self.path, synchronous="normal", busy_seconds=0.05)

    def task(self, target: Target | str, **more: Any) -> Task:
        """Make a task `t` of the project; text is for the shell."""
        chosen = Shell(target) if isinstance(target, str) else target
        values = {"id": "t", "bundle": "project", "path": self.root / "tasks/t.yml", "root": self.root}
        return Task(target=chosen, **(values | more))

    def run(
        self, target: Target | str, *, inputs: Mapping[str, Any] | None = None, **more: Any
    ) -> TaskResult:
        around = run.surroundings(
            self.opened,
            workplace.here(self.root),
            environment=self.environment,
            launched_by=("/opt/akm", "--x"),
            announce=self.warnings.append,
            **({"now": more.pop("now")} if "now" in more else {}),
        )
        return run.run(self.task(target, **more), around, inputs=inputs)

    def rows(self) -> list[dict[str, Any]]:
        with self.opened() as db:
            return rows(db, "SELECT * FROM task_history ORDER BY id")

    def row(self) -> dict[str, Any]:
        (only,) = self.rows()
        return only

    def detail(self) -> Any:
        return json.loads(self.row()["metadata_json"])["detail"]
