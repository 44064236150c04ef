"""`python -m tests.bench`: measure everything, print a table, and write it to a file."""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tests.bench import commands, dispatches, renaming, starting
from tests.bench.measure import WIDTH, Row, save, show, surroundings
from tests.bench.size import FULL, QUICK, Size

RESULTS = Path(__file__).with_name("results.json")
MEMORY = Path("/dev/shm")


def main() -> None:
    """Measure, print and save."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="Measure next to nothing, to see that it works.")
    parser.add_argument("--only", metavar="WORD", help="Measure the parts whose name begins so.")
    parser.add_argument("--output", type=Path, help="Where to write the results; else only whole ones are.")
    chosen = parser.parse_args()
    print(f"{'what':<{WIDTH}} {'measured':>13} {'target':>11}  met")
    rows = []
    temporary = partial(tempfile.TemporaryDirectory, prefix="akm-bench-")
    with temporary(dir=_memory()) as memory, temporary() as folder:
        for row in _measured(Path(folder), memory, QUICK if chosen.quick else FULL, chosen.only or ""):
            show(row)
            rows.append(row)
        output = chosen.output or (None if chosen.quick or chosen.only else RESULTS)
        if output is not None:
            save(rows, output, surroundings(Path(folder)))


def _memory() -> Path | None:
    return MEMORY if MEMORY.is_dir() and os.access(MEMORY, os.W_OK) else None


def _measured(folder: Path, memory: str, size: Size, only: str) -> Iterator[Row]:
    parts = {
        "dispatches": lambda: dispatches.rows(folder, Path(memory) if _memory() else None, size),
        "processes": lambda: (
            dispatches.by_many_processes(folder, size, synchronous=name) for name in ("normal", "full")
        ),
        "starting": lambda: starting.starting(folder, size),
        "migrating": lambda: iter([starting.migrating(folder, size)]),
        "listing": lambda: iter([commands.listing(folder, size)]),
        "units": lambda: commands.many_units(folder, size),
        "memory": lambda: commands.memory(folder, size),
        "large": lambda: iter([dispatches.in_a_large_file(folder, size)]),
        "renaming": lambda: iter([renaming.row(folder, size)]),
    }
    for name, measure in parts.items():
        if name.startswith(only):
            yield from measure()


if __name__ == "__main__":
    main()
