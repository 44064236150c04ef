"""Killing a driver at a chosen point, and what has to be so of the work that was finished before."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import campaign
from places import Place

SCRIPT = Path(__file__).with_name("crash_driver.py")


def crash(place: Place, *arguments: str) -> None:
    command = [sys.executable, str(SCRIPT), str(place.db.path), str(place.root), "w", *arguments]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert ended.returncode == -9, ended.stderr
    campaign.inject("crash")


def ran(trace: Path) -> Counter[str]:
    return Counter(trace.read_text().splitlines()) if trace.exists() else Counter()


def check_finished_work(
    journal: list[dict[str, object]], before: Counter[str], now: Counter[str], *, units: int = 4
) -> None:
    """What was finished at the crash has run no more, and everything else once since."""
    finished = {str(row["unit_id"]) for row in journal if row["status"] == "completed"}
    assert len(now) == units
    assert {unit: now[unit] - before[unit] for unit in now} == {
        unit: 0 if unit in finished else 1 for unit in now
    }


def check_reclaimed(place: Place, journal: list[dict[str, object]]) -> None:
    """An attempt that was under way is the same attempt, number and dispatch id, and ends completed."""
    for row in journal:
        now = place.row("SELECT * FROM workflow_run_unit_attempts WHERE dispatch_id = ?", row["dispatch_id"])
        assert (now["unit_id"], now["attempt"], now["status"]) == (
            row["unit_id"],
            row["attempt"],
            "completed",
        )
