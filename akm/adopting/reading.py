"""Reading a foreign database as a batch: row by row, a run at a time, while the batch is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

from akm import states
from akm.adopting import events, registry_cache, runs, task_history, units
from akm.adopting.fields import Found
from akm.adopting.tally import Tally, named
from akm.engine.recovery import continuing
from akm.services.adoption import (
    ATTEMPTS,
    CACHE,
    EVENTS,
    HISTORY,
    RUNS,
    STEPS,
    UNITS,
    AdoptedRun,
    Batch,
    Row,
)
from akm.store.foreign import Foreign

#: What a row is named by when it is left behind.
KEYS: Final = {
    RUNS: ("id",),
    STEPS: ("run_id", "step_id"),
    UNITS: ("run_id", "unit_id"),
    ATTEMPTS: ("run_id", "unit_id", "attempt"),
    EVENTS: ("id", "event_type"),
    HISTORY: ("task_id", "started_at"),
    CACHE: ("registry_url",),
}
#: Of a row, besides what is read: an event is only named by its id.
_NAMES_ONLY: Final = {EVENTS: ("id",)}
_OF_A_RUN: Final[dict[str, tuple[dict[str, Any], Callable[[Found], Row]]]] = {
    STEPS: (runs.STEP, runs.step),
    UNITS: (units.UNIT, units.unit),
    ATTEMPTS: (units.ATTEMPT, units.attempt),
}


class Reading:
    """One reading of a database. `tally` and `shown` are complete once the batch has been written."""

    def __init__(self, source: Foreign) -> None:
        self._source = source
        self.tally = Tally()
        #: Every run that came or was there, as the report shows it.
        self.shown: list[dict[str, Any]] = []

    def batch(self) -> Batch:
        """Return what can be taken over, to be read once."""
        words = task_history.words_of(self._source.ledger)
        history = partial(task_history.attempt, words=words)
        return Batch(
            runs=self._runs(),
            events=self._loose(EVENTS, events.EVENT, events.event, "id"),
            task_history=self._loose(HISTORY, task_history.ATTEMPT, history, "id"),
            registry_index_cache=self._loose(
                CACHE, registry_cache.CACHED, registry_cache.cached, "registry_url"
            ),
        )

    def _loose(
        self, table: str, readers: dict[str, Any], read: Callable[[Found], Row], order: str
    ) -> Iterator[Row]:
        wanted = (*_NAMES_ONLY.get(table, ()), *readers)
        return self.tally.usable(table, self._source.rows(table, wanted, order=order), read, KEYS[table])

    def _runs(self) -> Iterator[AdoptedRun]:
        for found in self._source.rows(RUNS, tuple(runs.RUN), order="created_at"):
            row = next(self.tally.usable(RUNS, [found], runs.run, KEYS[RUNS]), None)
            if row is None:
                self._leave_parts(found.get("id"))
            else:
                yield self._whole(row)
        for table, (readers, _read) in _OF_A_RUN.items():
            self._leave(table, self._source.orphans(table, tuple(readers)), "its run is not there")

    def _whole(self, row: Row) -> AdoptedRun:
        steps, found_units, found_attempts = (list(self._part(table, row["id"])) for table in _OF_A_RUN)
        made_units, made_attempts = units.folded(row, found_units, found_attempts)
        # A unit whose row is missing or unusable is made from its attempts, and the other way round.
        self._count(UNITS, len(made_units) - len(found_units))
        self._count(ATTEMPTS, len(made_attempts) - len(found_attempts))
        self.shown.append(_shown(row, steps))
        return AdoptedRun(row, steps, made_units, made_attempts)

    def _part(self, table: str, run_id: object) -> Iterator[Row]:
        readers, read = _OF_A_RUN[table]
        found = self._source.of_run(table, tuple(readers), run_id)
        return self.tally.usable(table, found, read, KEYS[table])

    def _count(self, table: str, more: int) -> None:
        counted = self.tally.made if more > 0 else self.tally.folded
        counted[table] += abs(more)

    def _leave_parts(self, run_id: object) -> None:
        for table, (readers, _read) in _OF_A_RUN.items():
            rows = self._source.of_run(table, tuple(readers), run_id)
            self._leave(table, rows, "its run was left behind")

    def _leave(self, table: str, rows: Iterator[Found], reason: str) -> None:
        for found in rows:
            self.tally.found[table] += 1
            self.tally.leave(table, named(found, KEYS[table]), reason)


def _shown(row: Row, steps: list[Row]) -> dict[str, Any]:
    shown = {"id": row["id"], "ref": row["workflow_ref"], "status": row["status"], "continuable": None}
    if row["status"] == states.COMPLETED:
        return shown
    spine = {str(step["step_id"]): str(step["status"]) for step in steps}
    plan, version = row["plan_json"], row["plan_ir_version"]
    reason = continuing.obstacle(
        plan if isinstance(plan, str) else None, version if isinstance(version, int) else None, spine
    )
    shown["continuable"] = reason is None
    return shown | ({"reason": reason} if reason else {})
