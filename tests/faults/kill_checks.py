"""Looking in the ledger, past akm, for what was lost or done twice in a run whose drivers were killed."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from installed import Place, command_lines, until

WIDTH = 12
UNITS = WIDTH + 2


@dataclass
class Tally:
    """What was counted; `faults` says each thing that was lost, doubled or wrong."""

    kills: int = 0
    runs: int = 0
    units: int = 0
    finished_once: int = 0
    lost: int = 0
    doubled: int = 0
    faults: list[str] = field(default_factory=list)

    def lose(self, what: str) -> None:
        self.lost += 1
        self.faults.append(f"lost: {what}")

    def double(self, what: str) -> None:
        self.doubled += 1
        self.faults.append(f"doubled: {what}")

    def blame(self, what: str) -> None:
        self.faults.append(what)


def has_tables(place: Place) -> bool:
    """Tell whether the ledger has been created yet."""
    if not (place.root / "data" / "state.db").exists():
        return False
    return bool(place.rows("SELECT 1 FROM sqlite_master WHERE name = 'workflow_run_unit_attempts'"))


def count_runs(place: Place, status: str) -> int:
    """Count the runs in a state."""
    if not has_tables(place):
        return 0
    return int(place.rows("SELECT count(*) FROM workflow_runs WHERE status = ?", status)[0][0])


class Check:
    """Every promise about one completed run, asked of the ledger past akm."""

    def __init__(self, place: Place, tally: Tally, seen_open: Counter[str]) -> None:
        self.place = place
        self.tally = tally
        self.seen_open = seen_open
        query = "SELECT id FROM workflow_runs WHERE status = 'completed' ORDER BY updated_at DESC LIMIT 1"
        self.run_id = place.rows(query)[0][0]

    def all(self) -> None:
        attempts = self.rows(
            "SELECT unit_id, attempt, dispatch_id, status, result_json FROM workflow_run_unit_attempts "
            "WHERE run_id = ? ORDER BY unit_id, attempt"
        )
        self.units(attempts)
        self.events({row[2] for row in attempts})
        self.marks({row[0]: row[2] for row in attempts})
        self.projection()
        self.result()
        self.file()
        self.strays()

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        return self.place.rows(query, self.run_id)

    def units(self, attempts: list[tuple[Any, ...]]) -> None:
        by_unit: dict[str, list[tuple[Any, ...]]] = {}
        for row in attempts:
            by_unit.setdefault(row[0], []).append(row)
        self.tally.units += UNITS
        for _missing in range(UNITS - len(by_unit)):
            self.tally.lose(f"a unit of {self.run_id} is not in the journal")
        for unit_id, rows in by_unit.items():
            completed = sum(row[3] == "completed" for row in rows)
            if completed == 1:
                self.tally.finished_once += 1
            elif completed == 0:
                self.tally.lose(f"{unit_id} never finished")
            else:
                self.tally.double(f"{unit_id} finished {completed} times")
            if [row[1] for row in rows] != list(range(1, len(rows) + 1)):
                self.tally.blame(f"the attempts of {unit_id} are {[row[1] for row in rows]}")

    def events(self, dispatched: set[str]) -> None:
        told: dict[str, Counter[str]] = {
            "workflow_unit_started": Counter(),
            "workflow_unit_finished": Counter(),
        }
        query = (
            "SELECT event_type, metadata_json FROM events WHERE json_extract(metadata_json, '$.runId') = ?"
        )
        for kind, metadata in self.rows(query):
            if kind in told:
                told[kind][json.loads(metadata)["dispatchId"]] += 1
        for kind, counted in told.items():
            if set(counted) != dispatched:
                self.tally.lose(f"{kind} is missing or was written for nothing in {self.run_id}")
            for dispatch_id, times in counted.items():
                if times != 1:
                    self.tally.double(f"{kind} of {dispatch_id} was written {times} times")

    def marks(self, dispatches: dict[str, str]) -> None:
        for unit_id, dispatch_id in dispatches.items():
            file = self.place.root / "marks" / f"{self.run_id}.{unit_id}"
            lines = file.read_text().count("\n") if file.exists() else 0
            if lines == 0:
                self.tally.lose(f"{unit_id} is recorded as finished and never ran")
            elif lines > 1 + self.seen_open[dispatch_id]:
                self.tally.double(
                    f"{unit_id} ran {lines} times, open after {self.seen_open[dispatch_id]} kills"
                )

    def projection(self) -> None:
        columns = "unit_id, {}, status, result_json, failure_reason, started_at, finished_at, input_hash"
        units = self.rows(f"SELECT {columns.format('attempts')} FROM workflow_run_units WHERE run_id = ?")
        latest = self.rows(
            f"SELECT {columns.format('max(attempt)')} FROM workflow_run_unit_attempts WHERE run_id = ? "
            "GROUP BY unit_id"
        )
        if sorted(units) != sorted(latest):
            self.tally.blame(f"the units of {self.run_id} are not their latest attempts")

    def result(self) -> None:
        query = "SELECT result_json FROM workflow_run_units WHERE run_id = ? AND step_id = 'total'"
        found = json.dumps([row[0] for row in self.rows(query)])
        if str(list(range(WIDTH))).replace(" ", "") not in found:
            self.tally.lose(f"the total of {self.run_id} is {found}")

    def file(self) -> None:
        found = self.place.rows("PRAGMA integrity_check") + self.place.rows("PRAGMA foreign_key_check")
        if found != [("ok",)]:
            self.tally.blame(f"the database is damaged: {found[:3]}")
        if count_runs(self.place, "active"):
            self.tally.blame("a run was left active beside the completed one")

    def strays(self) -> None:
        # Units of killed drivers end by themselves, after some hundredths of a second.
        here = str(self.place.root)
        if not until(lambda: not any(here in line for line in command_lines().values())):
            self.tally.blame(f"processes are left over from {self.run_id}")
