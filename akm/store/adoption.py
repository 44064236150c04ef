"""Whole rows out of an akm-cli database, written beside ours; what is there already stays as it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, NamedTuple

from akm.store import sql
from akm.store.database import Transaction
from akm.store.statement import Change, Value

Row = Mapping[str, Value]
#: How many rows are held in memory at once.
CHUNK: Final = 500
RUNS: Final = "workflow_runs"
STEPS: Final = "workflow_run_steps"
UNITS: Final = "workflow_run_units"
ATTEMPTS: Final = "workflow_run_unit_attempts"
EVENTS: Final = "events"
HISTORY: Final = "task_history"
CACHE: Final = "registry_index_cache"
TABLES: Final = (RUNS, STEPS, UNITS, ATTEMPTS, EVENTS, HISTORY, CACHE)
_LOOSE: Final[dict[str, Change]] = {
    EVENTS: sql.EVENT_ADOPT,
    HISTORY: sql.TASK_ADOPT,
    CACHE: sql.CACHE_ADOPT,
}


class AdoptedRun(NamedTuple):
    """A run with everything that belongs to it. Each row has every column of its table."""

    run: Row
    steps: Sequence[Row]
    units: Sequence[Row]
    attempts: Sequence[Row]

    def parts(self) -> Iterator[tuple[str, Change, Sequence[Row]]]:
        """Name the tables that hang on the run, with how their rows are written."""
        yield STEPS, sql.STEP_ADOPT, self.steps
        yield UNITS, sql.UNIT_ADOPT, self.units
        yield ATTEMPTS, sql.ATTEMPT_ADOPT, self.attempts


def insert_run(tx: Transaction, adopted: AdoptedRun) -> bool:
    """Write a run with all its rows; False when there is a run of this id, and then nothing was written."""
    if tx.run(sql.RUN_ADOPT, **adopted.run) != 1:
        return False
    for _table, change, rows in adopted.parts():
        if rows:
            tx.run_each(change, rows)
    return True


def insert_loose(tx: Transaction, table: str, rows: Iterable[Row]) -> tuple[int, int]:
    """Write rows that hang on no run; returns how many came and how many were there already.

    An event is there when one says exactly the same; an attempt of a task when its task has one of that
    start; an answer of a registry when there is one as new.
    """
    copied, seen, left = 0, 0, iter(rows)
    while chunk := list(islice(left, CHUNK)):
        seen += len(chunk)
        copied += tx.run_each(_LOOSE[table], chunk)
    return copied, seen - copied
