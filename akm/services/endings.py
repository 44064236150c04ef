"""The end of an attempt, inside the transaction of whichever act it is part of."""

from __future__ import annotations

from collections.abc import Sequence

from akm import states
from akm.errors import AkmError
from akm.store import attempts, events, sql
from akm.store.attempts import Finished
from akm.store.database import Transaction

ENDINGS = tuple(status for status in states.ATTEMPT if status != states.RUNNING)


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
