"""Killing real drivers at random moments; `kill_checks` looks for what was lost or done twice."""

from __future__ import annotations

import random
import subprocess
from collections import Counter
from pathlib import Path

import undisturbed
from installed import Place, ended
from kill_checks import WIDTH, Check, Tally, count_runs, has_tables

#: After so many kills a run gets as much time again: on a busy machine it would never get past its start.
PATIENT_KILLS = 25
RUNS_PER_LEDGER = 25

# Each unit leaves a line behind, so that work is counted where it was done and not where it was recorded.
_WORKFLOW = """---
type: workflow
steps:
  - id: list
    unit:
      exec: {{ command: [sh, -c, '{mark}; echo "[{items}]"', {marks}] }}
      output: {{ type: array, items: {{ type: integer }} }}
  - id: work
    map:
      over: steps.list.output
      concurrency: 4
      unit:
        exec: {{ command: [sh, -c, 'sleep 0.03; {mark}; echo "$AKM_ITEM"', {marks}] }}
        output: {{ type: integer }}
  - id: total
    inputs: [steps.work.output]
    unit:
      exec: {{ command: [sh, -c, '{mark}; printf "%s" "$AKM_INPUTS"', {marks}] }}
      output: {{ type: object }}
---
# Killed

## list

List the numbers.

## work

Leave a line behind.

## total

Hand over what came out.
"""
_MARK = 'echo done >> "$0/$AKM_RUN_ID.$AKM_UNIT_ID"'


class Soak:
    """Runs that are killed and continued until they are completed, in one ledger after another."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.tally = Tally()
        self._moments = random.Random(seed)
        self._folder = folder
        self._place = Place(self._folder)
        self._seconds = undisturbed.seconds(self._started_calmly)
        self._left = 0
        self._kills_before = 0

    def one_run(self) -> None:
        """Kill one run until it gets through, then check every promise on it."""
        if self._left == 0:
            # An empty folder: the first kills of a ledger fall into its creation.
            self._place = Place(self._folder / f"ledger-{self.tally.runs}")
            self._left = RUNS_PER_LEDGER
        self._left -= 1
        file = _written(self._place)
        seen = _Seen()
        self._kills_before = self.tally.kills
        while not self._is_over():
            self._drive(file, seen)
        self.tally.runs += 1
        Check(self._place, self.tally, seen.open).all()

    def _drive(self, file: str, seen: _Seen) -> None:
        driver = self._place.start("workflow", "run", file, "--quiet")
        try:
            driver.wait(self._moments.uniform(0, self._latest_kill_seconds))
        except subprocess.TimeoutExpired:
            driver.kill()
            self.tally.kills += 1
        done = ended(driver)
        if done.status not in (0, -9):
            self.tally.blame(f"a driver ended with {done.status}: {done.err}")
            raise SystemExit("\n".join(self.tally.faults))
        seen.look(self._place)

    @property
    def _latest_kill_seconds(self) -> float:
        return self._seconds * (1 + (self.tally.kills - self._kills_before) // PATIENT_KILLS)

    def _started_calmly(self) -> subprocess.Popen[str]:
        calm = Place(self._folder / "calm")
        return calm.start("workflow", "run", _written(calm), "--quiet")

    def _is_over(self) -> bool:
        return count_runs(self._place, "completed") > RUNS_PER_LEDGER - 1 - self._left


def _written(place: Place) -> str:
    items = ", ".join(map(str, range(WIDTH)))
    text = _WORKFLOW.format(mark=_MARK, items=items, marks=place.folder("marks"))
    return place.workflow("killed", text)


class _Seen:
    """What the ledger showed after each driver: every driver may start an open dispatch once more."""

    def __init__(self) -> None:
        self.open: Counter[str] = Counter()

    def look(self, place: Place) -> None:
        if has_tables(place):
            query = "SELECT dispatch_id FROM workflow_run_unit_attempts WHERE status = 'running'"
            self.open.update(row[0] for row in place.rows(query))
