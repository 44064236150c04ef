"""A workflow with two levels of children, a map and a route, whose drivers are killed at random moments."""

from __future__ import annotations

import json
import random
import subprocess
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import undisturbed
from family_files import CHILDREN, install
from installed import Place, ended
from kill_checks import has_tables


@dataclass
class Family:
    """Runs of the workflow that are killed until they get through, each compared with an undisturbed one."""

    moments: random.Random
    folder: Path
    kills: int = 0
    runs: int = 0
    faults: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.place, calm = Place(self.folder / "killed"), Place(self.folder / "calm")
        install(self.place)
        install(calm)
        self.latest_kill_seconds = undisturbed.seconds(partial(_start, calm))
        self.expected = account(calm, _roots(calm)[0])
        self.open: Counter[str] = Counter()

    def one_run(self) -> None:
        """Drive a run to its end, killed on the way; what is not as it should be joins the faults."""
        while len(_roots(self.place)) == self.runs:
            self._drive()
        self.runs += 1
        run_id = _roots(self.place)[-1]
        found = account(self.place, run_id)
        if found != self.expected:
            self.faults.append(f"run {run_id} came to {found} and undisturbed to {self.expected}")
        self.faults += self._done_twice(run_id)

    def _drive(self) -> None:
        driver = _start(self.place)
        try:
            driver.wait(self.moments.uniform(0, self.latest_kill_seconds))
        except subprocess.TimeoutExpired:
            driver.kill()
            self.kills += 1
        done = ended(driver)
        if done.status not in (0, -9):
            raise SystemExit(f"a driver ended with {done.status}: {done.out} {done.err}")
        if has_tables(self.place):
            # Every driver may start a dispatch once more that was open when the one before was killed.
            query = "SELECT run_id, unit_id FROM workflow_run_unit_attempts WHERE status = 'running'"
            self.open.update(f"{run_id}.{unit_id}" for run_id, unit_id in self.place.rows(query))

    def _done_twice(self, root: str) -> list[str]:
        faults = []
        for run_id, _title in tree(self.place, root):
            units = self.place.rows("SELECT unit_id FROM workflow_run_units WHERE run_id = ?", run_id)
            for name in (f"{run_id}.{unit_id}" for (unit_id,) in units if unit_id not in CHILDREN):
                file = self.place.root / "marks" / name
                lines = file.read_text().count("\n") if file.exists() else 0
                if not 1 <= lines <= 1 + self.open[name]:
                    faults.append(f"{name} ran {lines} times, open at {self.open[name]} kills")
        return faults


def kill_family(seed: int, folder: Path, kills: int) -> Family:
    """Kill drivers of the workflow until that many were killed and the last run is completed."""
    family = Family(random.Random(seed), folder)
    while family.kills < kills and not family.faults:
        family.one_run()
    return family


def tree(place: Place, root: str) -> list[tuple[str, str]]:
    """List a run and all runs below it as (id, title), parents first."""
    query = """
        WITH RECURSIVE below(id, title, depth) AS (
            SELECT id, workflow_title, 0 FROM workflow_runs WHERE id = ?
            UNION ALL
            SELECT run.id, run.workflow_title, depth + 1 FROM workflow_runs AS run
            JOIN below ON run.parent_run_id = below.id
        ) SELECT id, title FROM below ORDER BY depth, id"""
    return [(run_id, title) for run_id, title in place.rows(query, root)]


def account(place: Place, root: str) -> list[Any]:
    """Collect what a run and the runs below it came to: their states, steps and attempts."""
    return [_account(place, run_id) for run_id, _title in tree(place, root)]


def _account(place: Place, run_id: str) -> Any:
    steps = place.rows(
        "SELECT step_id, status, evidence_json FROM workflow_run_steps WHERE run_id = ? "
        "ORDER BY sequence_index",
        run_id,
    )
    attempts = place.rows(
        "SELECT unit_id, attempt, status, result_json FROM workflow_run_unit_attempts WHERE run_id = ? "
        "ORDER BY unit_id, attempt",
        run_id,
    )
    head = place.rows("SELECT workflow_ref, status, params_json FROM workflow_runs WHERE id = ?", run_id)
    return head, [(step, status, json.loads(text or "null")) for step, status, text in steps], attempts


def _start(place: Place) -> subprocess.Popen[str]:
    return place.start("workflow", "run", "workflows/root.md", "--quiet")


def _roots(place: Place) -> list[str]:
    """List the completed top-level runs, the oldest first."""
    if not has_tables(place):
        return []
    query = "SELECT id FROM workflow_runs WHERE parent_run_id IS NULL AND status = 'completed' ORDER BY rowid"
    return [str(row[0]) for row in place.rows(query)]
