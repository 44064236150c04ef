"""A run of two steps that a fault meets, and what must be true once it has gone on without the fault."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from command_lines import Done
from installed import Place, ended

_WORKFLOW = """---
type: workflow
steps:
  - id: one
    unit:
      exec: { command: [sh, -c, 'echo "$AKM_UNIT_ID" >> trace; test ! -e within || . ./within; echo one'] }
  - id: two
    inputs: [steps.one.output]
    unit: { exec: { command: [sh, -c, 'echo "$AKM_UNIT_ID" >> trace; printf "%s" "$AKM_INPUTS"'] } }
---
# Short

## one

Leave a line behind.

## two

Leave a line behind and hand over what came in.
"""
FILE = "short.md"
UNITS = ("one:solo", "two:solo")
EVENTS = {
    "workflow_started": 1,
    "workflow_unit_started": 2,
    "workflow_unit_finished": 2,
    "workflow_step_completed": 2,
    "workflow_finished": 1,
}


@dataclass(frozen=True)
class Left:
    """What a fault left behind: the runs with their states, the journal's units with theirs, what had run."""

    runs: dict[str, str]
    attempts: dict[str, str]
    ran: Counter[str]


def write(machine: Place) -> None:
    """Put the workflow where the commands are typed."""
    machine.workflow(FILE.removesuffix(".md"), _WORKFLOW)


def drive(machine: Place, target: str = FILE, **options: Any) -> Done:
    """Run the workflow, or go on with a run; `options` are those of `Popen`."""
    return ended(start(machine, target, **options))


def start(machine: Place, target: str = FILE, **options: Any) -> subprocess.Popen[str]:
    """Start the driver of the workflow, or of a run; `environment` is what to add to its own."""
    write(machine)
    environment = machine.environment() | options.pop("environment", {})
    return machine.start("workflow", "run", target, "--quiet", env=environment, **options)


def within(machine: Place, script: str) -> None:
    """Let the first unit run a line of shell in its middle."""
    (machine.work / "within").write_text(f"{script}\n")


def ran(machine: Place) -> Counter[str]:
    """Count how often each unit ran."""
    trace = machine.work / "trace"
    return Counter(trace.read_text().split()) if trace.exists() else Counter()


def left(machine: Place) -> Left:
    """Look at a copy: to open the ledger itself would repair what the next command must be able to repair."""
    copy = machine.folder("looked-at")
    shutil.rmtree(copy)
    shutil.copytree(machine.root / "data", copy)
    path = copy / "state.db"
    if not path.exists():
        return Left({}, {}, ran(machine))
    with closing(sqlite3.connect(path)) as raw:
        assert raw.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert raw.execute("PRAGMA foreign_key_check").fetchall() == []
        if not raw.execute("SELECT 1 FROM sqlite_master WHERE name = 'workflow_runs'").fetchall():
            return Left({}, {}, ran(machine))
        runs = dict(raw.execute("SELECT id, status FROM workflow_runs").fetchall())
        attempts = dict(raw.execute("SELECT unit_id, status FROM workflow_run_unit_attempts").fetchall())
    return Left(runs, attempts, ran(machine))


def check_said(done: Done, allowed: dict[int, str]) -> None:
    """A command that met a fault said one sentence, with the code that belongs to its exit status."""
    assert "Traceback" not in done.err
    assert done.status in {0, *allowed}, done.err
    if done.status:
        assert done.error["code"] == allowed[done.status]
        said = done.error["error"]
        assert said.endswith(".")
        assert "\n" not in said
        assert str(said).count(". ") == 0


def go_on(machine: Place, before: Left) -> None:
    """Drive what a fault left to its end: the run that it stopped, reopened if it failed, or a first one."""
    assert len(before.runs) <= 1
    target = next(iter(before.runs), FILE)
    if before.runs.get(target) == "failed":
        assert machine.run("workflow", "resume", target).status == 0
    done = drive(machine, target)
    assert done.status == 0, done.err


def check_goes_on(machine: Place) -> None:
    """Without the fault the run goes on: nothing is lost, nothing that was finished is done again."""
    before = left(machine)
    go_on(machine, before)
    after = ran(machine)
    assert {unit: after[unit] - before.ran[unit] for unit in UNITS} == {
        unit: int(before.attempts.get(unit) != "completed") for unit in UNITS
    }
    check_ledger(machine, was_failed="failed" in before.runs.values())


def check_ledger(machine: Place, *, was_failed: bool = False) -> None:
    """The only run is completed, and every unit started and finished exactly once."""
    assert machine.rows("SELECT status FROM workflow_runs") == [("completed",)]
    journal = "SELECT unit_id, attempt, status FROM workflow_run_unit_attempts ORDER BY unit_id"
    assert machine.rows(journal) == [(unit, 1, "completed") for unit in UNITS]
    counted: dict[str, Any] = dict(
        machine.rows("SELECT event_type, count(*) FROM events GROUP BY event_type")
    )
    reopened = {"workflow_resumed": 1, "workflow_step_updated": 1} if was_failed else {}
    assert counted == EVENTS | reopened
    assert machine.rows("PRAGMA integrity_check") == [("ok",)]
    assert machine.rows("PRAGMA foreign_key_check") == []


def ledger(machine: Place) -> Path:
    """Return the path of the ledger."""
    return machine.root / "data" / "state.db"
