"""Starting a run from the middle of another one: its earlier steps are taken over as they ended."""

from __future__ import annotations

from collections.abc import Sequence

from akm import states
from akm.errors import NotFoundError, UsageError
from akm.services.runs import already_active
from akm.store import attempts, events, runs, steps
from akm.store.database import Database, Transaction
from akm.store.runs import NewRun
from akm.store.steps import NewStep

_DONE = (states.COMPLETED, states.SKIPPED)


def fork(
    db: Database,
    run: NewRun,
    left: Sequence[NewStep],
    *,
    at: str,
    with_units: bool = False,
    force: bool = False,
) -> None:
    """Start `run`, which begins with the steps of `run.forked_from_run_id` before `left`, as they ended.

    With `with_units` the finished units of the first step of `left` are taken over too, so that only the
    others are dispatched. Writes the run, its steps and `workflow_forked` together. Raises UsageError when a
    step before never completed, and RESOURCE_ALREADY_EXISTS when an active run of the workflow is in the
    scope, unless `force`; nothing is written then.
    """
    source_id = run.forked_from_run_id or ""
    first = left[0]
    with db.immediate() as tx:
        active = None if force else runs.active_in_scope(tx, (run.workflow_ref,), run.scope_key or "")
        if active is not None:
            raise already_active(active, _beside(source_id, first.step_id, with_units=with_units))
        _refuse_unfinished(tx, source_id, first)
        runs.insert(tx, run)
        steps.copy(tx, run.id, source_run_id=source_id, before=first.sequence_index)
        for step in left:
            steps.insert(tx, run.id, step)
        if with_units:
            holder = f"fork:{source_id}"
            attempts.copy(
                tx,
                run.id,
                source_run_id=source_id,
                step_id=first.step_id,
                holder=holder,
                at=at,
            )
        metadata = {"runId": run.id, "forkedFromRunId": source_id, "stepId": first.step_id}
        events.append(tx, "workflow_forked", at=at, ref=run.workflow_ref, metadata=metadata)


def _beside(source_id: str, step_id: str, *, with_units: bool) -> str:
    if not with_units:
        return "fork beside it with --new"
    return f"do the whole step again beside it with `akm workflow fork {source_id} --from {step_id} --new`"


def _refuse_unfinished(tx: Transaction, source_id: str, first: NewStep) -> None:
    spine = steps.state_rows(tx, source_id)
    if not spine:
        raise NotFoundError(f"There is no run {source_id}.", code="WORKFLOW_NOT_FOUND")
    for step in spine[: first.sequence_index]:
        if step.status not in _DONE:
            raise UsageError(
                f"Run {source_id} cannot be forked from step {first.step_id}: step {step.step_id} before it "
                f"is {step.status}.",
                hint=f"Fork it from {step.step_id}, or from a step before that.",
            )
