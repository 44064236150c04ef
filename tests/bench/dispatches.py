"""What a dispatch costs: alone, coupled with the next one, in batches, by many processes, in a large file."""

from __future__ import annotations

import gc
import multiprocessing
import shutil
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from akm.services import attempts
from akm.store.database import Database
from akm.store.opening import open_database
from tests.bench import floor, large
from tests.bench.measure import Row, interleaved
from tests.bench.size import Size
from tests.builders import AT, finished, publish

BATCH = 16


def rows(folder: Path, memory: Path | None, size: Size) -> Iterator[Row]:
    """Measure dispatches on disk and in memory, at both settings of `synchronous`."""
    for place, where in (("disk", folder), ("tmpfs", memory)):
        for synchronous in ("NORMAL", "FULL"):
            if where is not None:
                yield from _against_floor(where, place, synchronous, size)


def _against_floor(folder: Path, place: str, synchronous: str, size: Size) -> Iterator[Row]:
    path = migrated(folder / f"{place}-{synchronous}.db")
    # Many short turns: whatever else the machine does then falls on all sides alike.
    number = max(BATCH, size.dispatches // 3)
    # The command does the same after its imports; here the migration has imported far more.
    gc.freeze()
    is_full = synchronous == "FULL" and place == "disk"
    with (
        closing(floor.connect(path, synchronous)) as bare,
        open_database(path, synchronous=synchronous.lower()) as db,
    ):
        medians = interleaved(
            {
                "floor": lambda: bare_dispatches(bare, publish(db), number),
                "alone": lambda: alone(db, number),
                "coupled": lambda: coupled(db, number),
                "batched": lambda: batched(db, number),
                "bare batches": lambda: bare_batches(bare, publish(db), number),
            },
            size.repetitions * 3,
        )
    targets: dict[str, float | None] = {
        "alone": 1.25 if place == "disk" else 1.35,
        "coupled": 0.8 if is_full else 0.95,
        "batched": 0.2 if is_full else 0.35,
        # How near a batch can come: the same statements in the same transactions, past akm.
        "bare batches": None,
    }
    names = {
        "alone": "dispatch (reserve, finish)",
        "coupled": "finish one and reserve the next",
        "batched": f"fan-out of {BATCH} in batches",
        "bare batches": "the same batches, bare",
    }
    note = f"floor {medians['floor'] / number * 1e6:.0f} us"
    for name, target in targets.items():
        ratio = medians[name] / medians["floor"]
        yield Row(f"{names[name]}, {place}, {synchronous}, to the floor", ratio, target, note=note)


def migrated(path: Path) -> Path:
    """Make a ledger at the newest revision."""
    path.parent.mkdir(parents=True, exist_ok=True)
    open_database(path, synchronous="normal").close()
    return path


def bare_dispatches(connection: Any, run_id: str, number: int) -> None:
    """Dispatch past akm."""
    for unit in range(number):
        floor.dispatch(connection, run_id, f"step-1:{unit}")


def bare_batches(connection: Any, run_id: str, number: int) -> None:
    """Dispatch in batches past akm."""
    for first in range(0, number, BATCH):
        units = [f"step-1:{unit}" for unit in range(first, min(first + BATCH, number))]
        floor.batch(connection, run_id, units)


def alone(db: Database, number: int, run_id: str | None = None) -> None:
    """Dispatch one unit after the other, each reserved and finished by itself."""
    run_id = run_id or publish(db)
    for unit in range(number):
        reserved = attempts.reserve(db, run_id, a_wanted_unit(unit), at=AT)
        attempts.finish(db, run_id, finished(reserved, result_json='"done"'), at=AT)


def coupled(db: Database, number: int) -> None:
    """Finish each unit together with the reservation of the next one."""
    run_id = publish(db)
    reserved = attempts.reserve(db, run_id, a_wanted_unit(0), at=AT)
    for unit in range(1, number):
        ended = [finished(reserved, result_json='"done"')]
        (reserved,) = attempts.advance(
            db, run_id, finished=ended, wanted=[a_wanted_unit(unit)], at=AT
        ).reserved
    attempts.finish(db, run_id, finished(reserved, result_json='"done"'), at=AT)


def batched(db: Database, number: int) -> None:
    """Reserve and finish units in batches."""
    run_id = publish(db)
    for first in range(0, number, BATCH):
        wanted = [a_wanted_unit(unit) for unit in range(first, min(first + BATCH, number))]
        reserved = attempts.advance(db, run_id, wanted=wanted, at=AT).reserved
        ended = [finished(one, result_json='"done"') for one in reserved]
        attempts.advance(db, run_id, finished=ended, at=AT)


def a_wanted_unit(number: int) -> attempts.Wanted:
    """Build the wish for one unit, without the copy that a builder with defaults makes."""
    return attempts.Wanted(f"step-1:{number}", "step-1", "step-1.unit", "unit", "hash-1", "exec")


def in_a_large_file(folder: Path, size: Size) -> Row:
    """Measure a dispatch in a file full of other runs against one in an empty file."""
    empty = migrated(folder / "empty.db")
    full = large.fill(migrated(folder / "large.db"), size.attempts)
    gc.freeze()
    with open_database(empty) as small, open_database(full) as big:
        medians = interleaved(
            {
                "small": lambda: alone(small, size.dispatches),
                "large": lambda: alone(big, size.dispatches),
            },
            size.repetitions,
        )
    what = f"dispatch in {size.attempts:,} attempts and {2 * size.attempts:,} events, to an empty file"
    note = f"{full.stat().st_size / 1e9:.1f} GB"
    full.unlink()
    return Row(what, medians["large"] / medians["small"], 1.4, note=note)


def by_many_processes(folder: Path, size: Size, *, synchronous: str, writers: int = 8) -> Row:
    """Measure the rate of many processes on one file against that of one process doing all of it."""
    path = migrated(folder / f"many-{synchronous}.db")
    rates: dict[int, list[float]] = {1: [], writers: []}
    done = 0
    for _repetition in range(max(1, size.repetitions // 2)):
        for processes, found in rates.items():
            shutil.copyfile(path, path.with_name("copy.db"))
            each = size.dispatches * writers // processes
            rate, number = _rate(path.with_name("copy.db"), processes, each, synchronous)
            done = number if processes == writers else done
            found.append(rate)
    ratio = max(rates[writers]) / max(rates[1])
    what = f"{writers} processes x {size.dispatches} dispatches, {synchronous.upper()}, to one process"
    return Row(what, ratio, 0.8, at_least=True, note=f"{done:,} done of {writers * size.dispatches:,}")


def _rate(path: Path, processes: int, each: int, synchronous: str) -> tuple[float, int]:
    """Let processes dispatch at once; returns dispatches per second, and how many there were."""
    spawn = multiprocessing.get_context("spawn")
    barrier = spawn.Barrier(processes + 1)
    working = [
        spawn.Process(target=_write, args=(path, each, synchronous, barrier)) for _process in range(processes)
    ]
    for process in working:
        process.start()
    barrier.wait(60)
    started = time.perf_counter()
    for process in working:
        process.join()
    spent = time.perf_counter() - started
    for name in ("-wal", "-shm"):
        path.with_name(path.name + name).unlink(missing_ok=True)
    number = sum(each for process in working if process.exitcode == 0)
    return processes * each / spent, number


def _write(path: Path, number: int, synchronous: str, barrier: Any) -> None:
    with open_database(path, synchronous=synchronous) as db:
        run_id = publish(db)
        barrier.wait(60)
        alone(db, number, run_id)
