"""Reserving dispatches before they happen and finishing them exactly once after."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from akm import ids, states
from akm.errors import AkmError, NotFoundError, UsageError
from akm.store import attempts, events, runs, sql
from akm.store.attempts import Finished, Wanted
from akm.store.database import Database, Transaction

__all__ = ["Advanced", "Finished", "Reservation", "Wanted", "advance", "finish", "reserve"]

ENDINGS = tuple(status for status in states.ATTEMPT if status != states.RUNNING)


class Reservation(NamedTuple):
    """A reserved attempt.

    `is_reclaimed`: it was reserved earlier, never finished, and is handed out again unchanged.
    """

    unit_id: str
    attempt: int
    dispatch_id: str
    is_reclaimed: bool


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
        return _reserve(tx, run, wanted, at)


def finish(db: Database, run_id: str, finished: Finished, *, at: str) -> bool:
    """Write how an attempt ended; False when it is not running (any more) and nothing was written.

    Writes the attempt, the projection and `workflow_unit_finished` together, whatever the run's state: a
    dispatched outcome is never dropped. Raises AkmError when the projection belongs to a later attempt.
    """
    _refuse_open([finished])
    with db.immediate() as tx:
        return _finish(tx, _run(tx, run_id), finished, at)


def advance(
    db: Database, run_id: str, *, finished: Sequence[Finished] = (), wanted: Sequence[Wanted] = (), at: str
) -> Advanced:
    """Finish and reserve a batch in one transaction: what arrived together is committed together.

    Either side may be empty. Raises as `reserve` and `finish` do, except that a run that is not active only
    leaves `reserved` empty: what was finished still lands.
    """
    _refuse_open(finished)
    with db.immediate() as tx:
        run = _run(tx, run_id)
        landed = tuple(_finish(tx, run, one, at) for one in finished)
        is_active = run.status == states.ACTIVE
        reserved = tuple(_reserve(tx, run, one, at) for one in wanted) if is_active else ()
        return Advanced(landed, reserved, run.status)


def _refuse_open(finished: Sequence[Finished]) -> None:
    for one in finished:
        if one.status not in ENDINGS:
            raise ValueError(f"an attempt ends as one of {', '.join(ENDINGS)}, not as {one.status!r}")


def _run(tx: Transaction, run_id: str) -> sql.RunHead:
    run = runs.head(tx, run_id)
    if run is None:
        raise NotFoundError(f"There is no run {run_id}.", code="WORKFLOW_NOT_FOUND")
    return run


def _reserve(tx: Transaction, run: sql.RunHead, wanted: Wanted, at: str) -> Reservation:
    latest = attempts.latest(tx, run.id, wanted.unit_id)
    if latest is not None and latest.status == states.RUNNING:
        return Reservation(wanted.unit_id, latest.attempt, latest.dispatch_id, True)
    attempt = 1 if latest is None else latest.attempt + 1
    dispatch_id = ids.new()
    attempts.insert(
        tx, run.id, wanted, attempt=attempt, dispatch_id=dispatch_id, holder=f"pid:{os.getpid()}", at=at
    )
    metadata = _ids(run.id, wanted.step_id, wanted.unit_id, attempt, dispatch_id, wanted.phase)
    metadata["status"] = states.RUNNING
    events.append(tx, "workflow_unit_started", at=at, ref=run.workflow_ref, metadata=metadata)
    return Reservation(wanted.unit_id, attempt, dispatch_id, False)


def _finish(tx: Transaction, run: sql.RunHead, finished: Finished, at: str) -> bool:
    row = attempts.finish(tx, run.id, finished, at)
    if row is None:
        return False
    if not attempts.project(tx, run.id, finished, at):
        raise AkmError(
            f"Attempt {finished.attempt} of {finished.unit_id} in run {run.id} is no longer the latest one; "
            "its end was not written."
        )
    metadata = _ids(run.id, row.step_id, finished.unit_id, finished.attempt, finished.dispatch_id, row.phase)
    metadata["status"] = finished.status
    if finished.failure_reason is not None:
        metadata["failureReason"] = finished.failure_reason
    if finished.tokens is not None:
        metadata["tokens"] = finished.tokens
    events.append(tx, "workflow_unit_finished", at=at, ref=run.workflow_ref, metadata=metadata)
    return True


def _ids(
    run_id: str, step_id: str, unit_id: str, attempt: int, dispatch_id: str, phase: str
) -> dict[str, str | int]:
    return {
        "runId": run_id,
        "stepId": step_id,
        "unitId": unit_id,
        "attempt": attempt,
        "dispatchId": dispatch_id,
        "phase": phase,
    }
