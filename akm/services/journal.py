"""The beginning and the end of attempts, inside the transaction of whichever act they are part of."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from akm import ids, states
from akm.errors import AkmError
from akm.store import attempts, events, sql
from akm.store.attempts import Finished, Wanted
from akm.store.database import Transaction

ENDINGS = tuple(status for status in states.ATTEMPT if status != states.RUNNING)


class Reservation(NamedTuple):
    """A reserved attempt.

    `is_reclaimed`: it was reserved earlier, never finished, and is handed out again unchanged.
    `worktree_path` is the one that was reserved with it.
    """

    unit_id: str
    attempt: int
    dispatch_id: str
    is_reclaimed: bool
    worktree_path: str | None = None


def reserve(tx: Transaction, run: sql.RunHead, wanted: Sequence[Wanted], at: str) -> list[Reservation]:
    """Reserve the next attempt of each unit, or hand its running one out again unchanged."""
    reserved: list[Reservation] = []
    rows = []
    started = []
    holder = f"pid:{os.getpid()}"
    for one in wanted:
        latest = attempts.latest(tx, run.id, one.unit_id)
        if latest is not None and latest.status == states.RUNNING:
            worktree = latest.worktree_path
            reserved.append(Reservation(one.unit_id, latest.attempt, latest.dispatch_id, True, worktree))
            continue
        number = 1 if latest is None else latest.attempt + 1
        made = Reservation(one.unit_id, number, ids.new(), False, one.worktree_path)
        unit_id, attempt, dispatch_id, *_ = made
        rows.append(
            attempts.insert(tx, run.id, one, attempt=attempt, dispatch_id=dispatch_id, holder=holder, at=at)
        )
        started.append(
            events.unit_metadata(
                run.id, one.step_id, unit_id, attempt, dispatch_id, one.phase, states.RUNNING
            )
        )
        reserved.append(made)
    if rows:
        attempts.project_reserved(tx, rows)
        events.append_each(tx, "workflow_unit_started", at=at, ref=run.workflow_ref, metadata_json=started)
    return reserved


def refuse_open(finished: Sequence[Finished]) -> None:
    """Raise ValueError when one of the ends is none."""
    for one in finished:
        if one.status not in ENDINGS:
            raise ValueError(f"an attempt ends as one of {', '.join(ENDINGS)}, not as {one.status!r}")


def finish(tx: Transaction, run: sql.RunHead, finished: Sequence[Finished], at: str) -> list[bool]:
    """Write ends, their projections and their events; tells which of them landed.

    Raises AkmError when the projection of one belongs to a later attempt.
    """
    found = [attempts.finish(tx, run.id, one, at) for one in finished]
    landed = [(one, row) for one, row in zip(finished, found, strict=True) if row is not None]
    if not landed:
        return [False] * len(found)
    if not attempts.project_finished(tx, run.id, [one for one, _row in landed], at):
        units = ", ".join(one.unit_id for one, _row in landed)
        raise AkmError(
            f"An attempt of {units} in run {run.id} is no longer its unit's latest; its end was not written."
        )
    ended = [_ending(run.id, one, row) for one, row in landed]
    events.append_each(tx, "workflow_unit_finished", at=at, ref=run.workflow_ref, metadata_json=ended)
    return [row is not None for row in found]


def _ending(run_id: str, finished: Finished, row: sql.FinishedAttempt) -> str:
    text = events.unit_metadata(
        run_id,
        row.step_id,
        finished.unit_id,
        finished.attempt,
        finished.dispatch_id,
        row.phase,
        finished.status,
    )
    if finished.failure_reason is not None:
        text = events.with_more(text, {"failureReason": finished.failure_reason})
    return text if finished.tokens is None else events.with_more(text, {"tokens": finished.tokens})
