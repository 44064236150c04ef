"""`python -m tests.bench.profile`: where the time of a dispatch goes, by statement, and a unit's, by part."""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import resource
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.bench import commands, dispatches, floor
from tests.bench.measure import interleaved
from tests.bench.place import Place
from tests.bench.size import FULL, QUICK, Size
from tests.builders import publish

#: The statements of a dispatch, in words.
STATEMENTS = {
    floor.RUN: "read the run",
    floor.LATEST: "read the latest attempt",
    floor.INSERT: "insert the attempt",
    floor.UPSERT: "insert or update the unit",
    floor.EVENT: "insert an event",
    floor.UPDATE: "end the attempt",
    floor.ENDED: "read the ended attempt",
    floor.PROJECT: "end the unit",
    "BEGIN IMMEDIATE": "begin (immediate)",
    "COMMIT": "commit",
}


class Timed:
    """A connection that knows how long each of its statements took."""

    def __init__(self, connection: Any) -> None:
        self._execute = connection.execute
        self.spent: dict[str, list[float]] = defaultdict(list)

    def execute(self, text: str, values: Sequence[object] = ()) -> Any:
        """Run a statement to its end, which for a query is its first row."""
        started = time.perf_counter()
        cursor = self._execute(text, values)
        self.spent[text].append(time.perf_counter() - started)
        return cursor


def main() -> None:
    """Print one table per place and setting for a dispatch, then one for a unit."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.profile", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="Measure next to nothing, to see that it works.")
    size = QUICK if parser.parse_args().quick else FULL
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(prefix="akm-profile-") as folder:
        for name in ("NORMAL", "FULL"):
            _dispatch(Path(folder) / f"{name}.db", "disk", name, size)
        if os.access(memory, os.W_OK):
            with tempfile.TemporaryDirectory(prefix="akm-profile-", dir=memory) as fast:
                _dispatch(Path(fast) / "fast.db", "tmpfs", "NORMAL", size)
        _unit(Path(folder) / "unit", size.units)


def _dispatch(path: Path, place: str, synchronous: str, size: Size) -> None:
    dispatches.migrated(path)
    with (
        closing(floor.connect(path, synchronous)) as bare,
        dispatches.open_database(path, synchronous=synchronous.lower()) as db,
    ):
        timed = Timed(bare)
        acts = {
            "bare": lambda: dispatches.bare_dispatches(bare, publish(db), size.dispatches),
            "timed": lambda: dispatches.bare_dispatches(timed, publish(db), size.dispatches),
            "akm": lambda: dispatches.alone(db, size.dispatches),
        }
        medians = {
            name: found / size.dispatches for name, found in interleaved(acts, size.repetitions).items()
        }
    whole = medians["bare"]
    print(f"\nOne dispatch, {place}, {synchronous}: microseconds, and share of the floor")
    for text, name in STATEMENTS.items():
        # Not the median: every so often a commit also carries the log over into the file.
        _line(name, sum(timed.spent[text]) / len(timed.spent[floor.INSERT]), medians["timed"])
    _line("the floor as a whole", medians["timed"], medians["timed"])
    _line("the same, not timed by statement", whole, whole)
    _line("the services of akm", medians["akm"], whole)


def _unit(root: Path, units: int) -> None:
    place = Place(root)
    os.environ.update(place.environment)
    os.chdir(place.work)
    Path("many.md").write_text(commands.MANY)
    who = {"the children": resource.RUSAGE_CHILDREN, "the process of akm": resource.RUSAGE_SELF}
    before = {name: _processor(whose) for name, whose in who.items()}
    with _counted() as counted:
        started = time.perf_counter()
        _run(list(range(units)))
        counted["from start to end"] = [0, time.perf_counter() - started]
    counted |= {name: [_processor(whose) - before[name], 0] for name, whose in who.items()}
    print(
        f"\nOne of {units:,} units, `true`, width {commands.WIDTH}: microseconds of processor, of the clock"
    )
    for name, times in counted.items():
        print(
            f"{name:<44}" + "".join(f" {spent / units * 1e6:>8.0f}" if spent else " " * 9 for spent in times)
        )


def _processor(whose: int) -> float:
    used = resource.getrusage(whose)
    return used.ru_utime + used.ru_stime


def _run(items: list[int]) -> None:
    from akm.__main__ import main as akm

    sys.argv = ["akm", "workflow", "run", "many.md", "-p", f"items={json.dumps(items)}", "--quiet"]
    with contextlib.redirect_stdout(io.StringIO()):
        assert akm() == 0


@contextlib.contextmanager
def _counted() -> Iterator[dict[str, list[float]]]:
    """Count the time in each part of the engine that a unit passes through, on all threads together."""
    import subprocess

    from akm.engine import fan_out, ledger, workers
    from akm.engine.runners import supervision

    found: dict[str, list[float]] = {}
    parts: tuple[tuple[str, Any, str], ...] = (
        ("driver thread: the whole step", fan_out._FanOut, "run"),
        ("  ledger: end and reserve", ledger.Ledger, "advance"),
        ("  waiting for an outcome", workers.Workers, "wait"),
        ("worker thread: the whole unit", workers.Workers, "_run"),
        ("  starting the process", subprocess.Popen, "__init__"),
        ("  its pipes and its end", supervision.Supervision, "run"),
    )
    before = [(owner, name, getattr(owner, name)) for _label, owner, name in parts]
    for label, owner, name in parts:
        setattr(owner, name, _counting(getattr(owner, name), found.setdefault(label, [0.0, 0.0])))
    try:
        yield found
    finally:
        for owner, name, plain in before:
            setattr(owner, name, plain)


def _counting(plain: Any, total: list[float]) -> Any:
    def counting(*arguments: Any, **named: Any) -> Any:
        processor, clock = time.thread_time(), time.perf_counter()
        try:
            return plain(*arguments, **named)
        finally:
            total[0] += time.thread_time() - processor
            total[1] += time.perf_counter() - clock

    return counting


def _line(name: str, seconds: float, whole: float) -> None:
    print(f"{name:<44} {seconds * 1e6:>8.1f} {seconds / whole:>8.0%}")


if __name__ == "__main__":
    main()
