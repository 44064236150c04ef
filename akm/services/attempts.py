"""Reserving dispatches before they happen and finishing them exactly once after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from akm import states
from akm.errors import NotFoundError, UsageError
from akm.services import journal
from akm.services.journal import Reservation
from akm.store import runs, sql
from akm.store.attempts import Finished, Wanted
from akm.store.database import Database, Transaction

__all__ = ["Advanced", "Finished", "Reservation", "Wanted", "advance", "finish", "reserve"]


class Advanced(NamedTuple):
    """What one batch did: `landed` answers `finished` and `reserved` answers `wanted`, in order.

    `reserved` is empty when the run was not active any more.
    """

    landed: tuple[bool, ...]
    reserved: tuple[Reservation, ...]
    run_status: str


def reserve(db: Database, run_id: str, wanted: Wanted, *, at: str) -> Reservation:
    """Reserve the next attempt of a unit, or hand the running one out again unchanged.

    Writes the attempt, the unit's projection and `workflow_unit_started` together; a reclaimed attempt
    writes nothing. Raises UsageError when the run is not active, NotFoundError when there is none; nothing
    is written then.
    """
    with db.immediate() as tx:
        run = _run(tx, run_id)
        if run.status != states.ACTIVE:
            raise UsageError(
                f"Run {run_id} is {run.status}, so nothing more is dispatched for it.",
                code="RESOURCE_ALREADY_EXISTS",
                hint=f"Reopen it with `akm workflow resume {run_id}`.",
            )
        return journal.reserve(tx, run, [wanted], at)[0]


def finish(db: Database, run_id: str, finished: Finished, *, at: str) -> bool:
    """Write how an attempt ended; False when it is not running (any more) and nothing was written.

    Writes the attempt, the projection and `workflow_unit_finished` together, whatever the run's state: a
    dispatched outcome is never dropped. Raises AkmError when the projection belongs to a later attempt.
    """
    journal.refuse_open([finished])
    with db.immediate() as tx:
        return journal.finish(tx, _run(tx, run_id), [finished], at)[0]


def advance(
    db: Database, run_id: str, *, finished: Sequence[Finished] = (), wanted: Sequence[Wanted] = (), at: str
) -> Advanced:
    """Finish and reserve a batch in one transaction: what arrived together is committed together.

    Either side may be empty. Raises as `reserve` and `finish` do, except that a run that is not active only
    leaves `reserved` empty: what was finished still lands.
    """
    journal.refuse_open(finished)
    with db.immediate() as tx:
        run = _run(tx, run_id)
        landed = journal.finish(tx, run, finished, at)
        reserved = journal.reserve(tx, run, wanted, at) if run.status == states.ACTIVE else []
        return Advanced(tuple(landed), tuple(reserved), run.status)


def _run(tx: Transaction, run_id: str) -> sql.RunHead:
    run = runs.head(tx, run_id)
    if run is None:
        raise NotFoundError(f"There is no run {run_id}.", code="WORKFLOW_NOT_FOUND")
    return run
