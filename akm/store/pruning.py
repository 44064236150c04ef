"""Deleting runs with all their rows, and the events that are left of runs that are gone."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import NamedTuple

from akm.store import sql
from akm.store.database import Transaction

#: How many events one sweep looks at.
EVENTS_AT_ONCE = 10_000


class Pruned(NamedTuple):
    """How many rows of runs are deleted, or would be, by table."""

    workflow_runs: int = 0
    workflow_run_steps: int = 0
    workflow_run_units: int = 0
    workflow_run_unit_attempts: int = 0


def runs(tx: Transaction) -> list[sql.AgedRun]:
    """Read of all runs what their age and their kin depend on."""
    return tx.all(sql.RUNS_AGED)


def family(tx: Transaction, run_ids: Collection[str]) -> list[sql.AgedRun]:
    """Read the same of some runs and of their children."""
    return tx.all(sql.RUNS_FAMILY, ids=_array(run_ids))


def statuses(tx: Transaction, run_ids: Collection[str]) -> dict[str, str]:
    """Read the status of those of the runs that exist."""
    return {row.id: row.status for row in tx.all(sql.RUNS_AMONG, ids=_array(run_ids))}


def attempts_per_run(tx: Transaction) -> dict[str, int]:
    """Count the attempts of every run that has some."""
    return {row.run_id: row.rows for row in tx.all(sql.ATTEMPTS_PER_RUN)}


def delete(tx: Transaction, run_ids: Collection[str]) -> Pruned:
    """Delete runs with their steps, units and attempts."""
    ids = _array(run_ids)
    # Children first: deleted by the foreign key they would not be counted.
    found = (sql.ATTEMPTS_DELETE, sql.UNITS_DELETE, sql.STEPS_DELETE, sql.RUNS_DELETE)
    return Pruned(*reversed([tx.run(change, ids=ids) for change in found]))


def count(tx: Transaction, run_ids: Collection[str]) -> Pruned:
    """Count what `delete` would delete of runs that exist."""
    ids = _array(run_ids)
    found = (sql.STEPS_COUNT, sql.UNITS_COUNT, sql.ATTEMPTS_COUNT)
    return Pruned(len(run_ids), *(_rows(tx.one(query, ids=ids)) for query in found))


def next_events(tx: Transaction, after: int) -> tuple[int, bool]:
    """Return the last id of the next events behind `after`, and whether no more follow them."""
    row = tx.one(sql.EVENTS_NEXT, after=after, limit=EVENTS_AT_ONCE)
    if row is None or row.through is None:
        return after, True
    return row.through, row.rows < EVENTS_AT_ONCE


def sweep(tx: Transaction, after: int, through: int, older_than: str | None) -> int:
    """Delete the events of a span of ids whose run is gone, and those of no run older than a timestamp."""
    return tx.run(sql.EVENTS_SWEEP, after=after, through=through, older_than=older_than)


def events_left(tx: Transaction, run_ids: Collection[str], older_than: str | None) -> int:
    """Count the events that sweeping deletes once these runs are gone."""
    return _rows(tx.one(sql.EVENTS_LEFT, ids=_array(run_ids), older_than=older_than))


def _array(run_ids: Collection[str]) -> str:
    return json.dumps(sorted(run_ids))


def _rows(row: sql.RowCount | None) -> int:
    return 0 if row is None else row.rows
