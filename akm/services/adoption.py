"""Taking the rows of an akm-cli database over, all of them or none."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from akm.store import adoption, events, runs
from akm.store.adoption import ATTEMPTS, CACHE, EVENTS, HISTORY, RUNS, STEPS, TABLES, UNITS, AdoptedRun, Row
from akm.store.database import Database, Transaction

__all__ = ["ATTEMPTS", "CACHE", "EVENTS", "HISTORY", "RUNS", "STEPS", "TABLES", "UNITS"]
__all__ += ["AdoptedRun", "Batch", "Counts", "Row", "adopt"]


class Batch(NamedTuple):
    """What is to be taken over. Each part is read once, in order, while it is written."""

    runs: Iterable[AdoptedRun] = ()
    events: Iterable[Row] = ()
    task_history: Iterable[Row] = ()
    registry_index_cache: Iterable[Row] = ()


class Counts(NamedTuple):
    """How many rows came and how many were there already, by table.

    `outdated`: runs that were there, and that akm-cli has gone on with since.
    """

    copied: dict[str, int]
    duplicates: dict[str, int]
    outdated: tuple[str, ...]


def adopt(db: Database, batch: Batch, *, at: str) -> Counts:
    """Write every row that is not there yet, and `ledger_adopted` when there was one.

    A run comes with all its steps, units and attempts, or, when its id is there, with none of them. Whatever
    reading the batch raises takes everything back.
    """
    copied, duplicates = dict.fromkeys(TABLES, 0), dict.fromkeys(TABLES, 0)
    outdated = []
    with db.immediate() as tx:
        for one in batch.runs:
            landed = adoption.insert_run(tx, one)
            if not landed and _is_outdated(tx, one):
                outdated.append(str(one.run["id"]))
            counted = copied if landed else duplicates
            counted[RUNS] += 1
            for table, _change, rows in one.parts():
                counted[table] += len(rows)
        for table in (EVENTS, HISTORY, CACHE):
            copied[table], duplicates[table] = adoption.insert_loose(tx, table, getattr(batch, table))
        if any(copied.values()):
            metadata: dict[str, str | int] = {"runs": copied[RUNS], "events": copied[EVENTS]}
            metadata["attempts"] = copied[HISTORY]
            events.append(tx, "ledger_adopted", at=at, ref=None, metadata=metadata)
        return Counts(copied, duplicates, tuple(outdated))


def _is_outdated(tx: Transaction, one: AdoptedRun) -> bool:
    ours = runs.summary(tx, str(one.run["id"]))
    return ours is not None and ours.updated_at < str(one.run["updated_at"])
