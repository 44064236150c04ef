"""One run seen from outside: what it needs to go on, who drives it, and what the ledger says of it."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import workflow_files
from workflow_files import a_file

Run = Callable[..., Any]

_PASS = '{"complete": true, "missing": []}'
_PATIENCE_SECONDS = 30


@dataclass
class Subject:
    """One run, and the step and the unit of it that the rows are about; what happened to it is `seen`."""

    home: Path
    run: Run
    run_id: str = ""
    step_id: str = "a"
    drivers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def write(self, *steps: dict[str, Any], name: str = "w", **more: Any) -> None:
        workflow_files.write(self.home / "project", name, a_file(*steps, **more))

    def start(self, *arguments: str) -> None:
        """Run the workflow and remember its run."""
        self.run("workflow", "run", "w", *arguments)
        self.remember()

    def remember(self) -> None:
        self.run_id = self.rows("SELECT id FROM workflow_runs WHERE parent_run_id IS NULL")[0][0]

    def rows(self, query: str, *values: Any) -> list[Any]:
        with closing(sqlite3.connect(self.home / "data/state.db")) as ledger, ledger:
            return ledger.execute(query, values).fetchall()

    def judge(self, verdict: str) -> None:
        (self.home / "verdict").write_text(verdict)

    def put_right(self) -> None:
        """Give the run what it stopped for."""
        (self.home / "ok").touch()
        self.judge(_PASS)

    def drive(self) -> None:
        """Start a driver of the workflow as a process of its own, and wait until its unit runs."""
        self.drivers.append(
            subprocess.Popen(
                [sys.executable, "-m", "akm", "workflow", "run", "w", "-q"],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        )
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while not (self.home / "begun").exists():
            assert time.monotonic() < deadline, "the unit never began"
            time.sleep(0.01)
        self.remember()

    def end(self) -> None:
        """End the drivers that are left; their units end by themselves once the file is there."""
        (self.home / "ok").touch()
        for driver in self.drivers:
            driver.kill()
            driver.wait()

    def is_driven(self) -> bool:
        return all(driver.poll() is None for driver in self.drivers)

    def status(self) -> str:
        return str(self.rows("SELECT status FROM workflow_runs WHERE id = ?", self.run_id)[0][0])

    def step(self) -> str:
        query = "SELECT status FROM workflow_run_steps WHERE run_id = ? AND step_id = ?"
        return str(self.rows(query, self.run_id, self.step_id)[0][0])

    def attempt(self) -> str:
        """Describe the latest attempt of the unit as `status number`; empty when there is none."""
        query = (
            "SELECT status, attempt FROM workflow_run_unit_attempts WHERE run_id = ? AND unit_id = ? "
            "ORDER BY attempt DESC LIMIT 1"
        )
        found = self.rows(query, self.run_id, f"{self.step_id}:solo")
        return f"{found[0][0]} {found[0][1]}" if found else ""


def keep(subject: Subject) -> Path:
    """Keep the ledger and the locks as they are, to come back to them with `restore`."""
    kept = subject.home / "kept"
    shutil.copytree(subject.home / "data", kept)
    return kept


def restore(subject: Subject, kept: Path) -> Subject:
    """Bring back what was kept, with what the run stopped for put right."""
    shutil.rmtree(subject.home / "data")
    shutil.copytree(kept, subject.home / "data")
    subject.put_right()
    return subject
