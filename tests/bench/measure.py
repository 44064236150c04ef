"""How things are measured: both sides in turn, several times over, and the median of each."""

from __future__ import annotations

import json
import os
import platform
import sqlite3
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

from akm.store.connect import file_system_of

#: Columns of the table's first part.
WIDTH = 72
Act = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table. `target` is the most that `measured` may be, or with `at_least` the least."""

    what: str
    measured: float
    target: float | None
    unit: str = "x"
    at_least: bool = False
    note: str = ""

    @property
    def met(self) -> bool | None:
        """Tell whether the target is met; None when there is none."""
        if self.target is None:
            return None
        return self.measured >= self.target if self.at_least else self.measured <= self.target


def seconds(act: Act) -> float:
    """Measure one call."""
    started = time.perf_counter()
    act()
    return time.perf_counter() - started


def interleaved(acts: Mapping[str, Act], repetitions: int) -> dict[str, float]:
    """Measure every act in turn, again and again, each time in another order; the median seconds of each."""
    measured: dict[str, list[float]] = {name: [] for name in acts}
    names = list(acts)
    if repetitions > 1:
        for act in acts.values():
            act()  # What only the first call pays for is nobody's speed.
    for number in range(repetitions):
        turn = number % len(names)
        for name in names[turn:] + names[:turn]:
            measured[name].append(seconds(acts[name]))
    return {name: median(times) for name, times in measured.items()}


def show(row: Row) -> None:
    """Print one line of the table."""
    target = "-" if row.target is None else f"{'>=' if row.at_least else '<='} {row.target:g} {row.unit}"
    met = {True: "yes", False: "NO", None: ""}[row.met]
    print(
        f"{row.what:<{WIDTH}} {row.measured:>8.2f} {row.unit:<4} {target:>11}  {met:<4}{row.note}", flush=True
    )


def save(rows: list[Row], path: Path, surroundings: Mapping[str, object]) -> None:
    """Write every row as JSON."""
    found = {"surroundings": surroundings, "rows": [asdict(row) | {"met": row.met} for row in rows]}
    path.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


def surroundings(folder: Path) -> dict[str, object]:
    """Say on what was measured; `folder` is where the databases are."""
    return {
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "system": platform.platform(),
        "cores": os.cpu_count(),
        "disk": file_system_of(folder),
        "load": os.getloadavg(),
    }
