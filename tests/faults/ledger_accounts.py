"""What a whole ledger says, without what differs between two runs that came to the same."""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
_HOLDER = re.compile(r"pid:\d+")
_WORKTREE = re.compile(r"worktrees/[\w-]+/[0-9a-f]{12}")
_TABLES = {
    "runs": "SELECT * FROM workflow_runs ORDER BY rowid",
    "steps": "SELECT * FROM workflow_run_steps ORDER BY run_id, sequence_index",
    "attempts": "SELECT * FROM workflow_run_unit_attempts ORDER BY rowid",
    "units": "SELECT * FROM workflow_run_units ORDER BY run_id, unit_id",
    "events": "SELECT * FROM events ORDER BY id",
}
Row = dict[str, Any]


def account(path: Path, *, is_ordered: bool = True) -> dict[str, list[Row]]:
    """Read every row of a ledger's runs and events, with names in place of ids, times and pids.

    A unit that failed is done again by whichever driver comes next, so one is left of attempts in a row that
    failed alike. Units side by side start and end in any order (`is_ordered` False).
    """
    found = _read(path)
    _drop_repeats(found)
    for row in found["runs"]:
        # Made of the parent's id.
        row["invocation_key"] = bool(row["invocation_key"])
    if not is_ordered:
        for name in ("attempts", "events"):
            found[name].sort(key=lambda row: _UUID.sub("", _plain(row)))
    return _named(found)


def done_again(path: Path, run_id: str, from_step: str) -> dict[str, list[Row]]:
    """Read the steps of a run from one of them on, their units, and the same of the runs below them.

    How many attempts that took is left out.
    """
    found = _read(path)
    spine = [row["step_id"] for row in found["steps"] if row["run_id"] == run_id]
    before = {(run_id, step_id) for step_id in spine[: spine.index(from_step)]}
    for name in ("steps", "units"):
        found[name] = [row for row in found[name] if (row["run_id"], row["step_id"]) not in before]
    called = {(row["run_id"], row["unit_id"]) for row in found["units"]}
    family = {run_id}
    for row in found["runs"]:
        if row["parent_run_id"] in family and (row["parent_run_id"], row["parent_unit_id"]) in called:
            family.add(row["id"])
    kept = {name: [row for row in found[name] if row["run_id"] in family] for name in ("steps", "units")}
    kept["units"] = [row | {"attempts": None} for row in kept["units"]]
    return _named(kept)


def _read(path: Path) -> dict[str, list[Row]]:
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        found = {name: [dict(row) for row in connection.execute(text)] for name, text in _TABLES.items()}
    ranks = {row["id"]: number for number, row in enumerate(found["runs"])}
    for name in ("steps", "units"):
        found[name].sort(key=lambda row: ranks[row["run_id"]])
    return found


def _drop_repeats(found: dict[str, list[Row]]) -> None:
    """Leave one of attempts in a row that failed alike."""
    numbers: Counter[tuple[str, str]] = Counter()
    last: dict[tuple[str, str], tuple[Any, ...]] = {}
    kept: dict[str, Row] = {}
    for row in found["attempts"]:
        unit = (row["run_id"], row["unit_id"])
        end = (row["status"], row["failure_reason"], row["result_json"])
        if row["status"] == "failed" and last.get(unit) == end:
            continue
        last[unit] = end
        numbers[unit] += 1
        kept[row["dispatch_id"]] = row | {"attempt": numbers[unit]}
    found["attempts"] = list(kept.values())
    for row in found["units"]:
        row["attempts"] = numbers[row["run_id"], row["unit_id"]]
    found["events"] = list(_events(found["events"], kept))


def _events(rows: list[Row], attempts: dict[str, Row]) -> Iterator[Row]:
    for row in rows:
        said = json.loads(row["metadata_json"] or "{}")
        dispatch = said.get("dispatchId")
        # Each driver that needs an env asset says anew that it read it, and that belongs to no run.
        if row["event_type"] == "env_access" or (dispatch is not None and dispatch not in attempts):
            continue
        if dispatch is not None:
            said["attempt"] = attempts[dispatch]["attempt"]
        yield row | {"id": None, "metadata_json": said}


def _named(found: dict[str, list[Row]]) -> dict[str, list[Row]]:
    """Put names, given in the order in which they appear, in the place of ids."""
    names: dict[str, str] = {}

    def name(match: re.Match[str]) -> str:
        return names.setdefault(match[0], f"id-{len(names) + 1}")

    return {
        table: [json.loads(_UUID.sub(name, _plain(row))) for row in rows] for table, rows in found.items()
    }


def _plain(row: Row) -> str:
    text = _TIME.sub("TIME", _HOLDER.sub("PID", json.dumps(row, sort_keys=True)))
    return _WORKTREE.sub("worktrees/NAME", text)
