"""Starting, resuming and abandoning runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from akm import states
from akm.errors import NotFoundError, UsageError
from akm.store import events, runs, sql, steps
from akm.store.database import Database, Transaction
from akm.store.runs import NewRun
from akm.store.steps import NewStep

__all__ = ["NewRun", "NewStep", "abandon", "publish", "publish_child", "resume"]


def publish(
    db: Database, run: NewRun, spine: Sequence[NewStep], *, refs: tuple[str, ...], force: bool = False
) -> None:
    """Start a run: its row, its steps, its plan and `workflow_started`, all of it or nothing.

    `refs` are the spellings of its ref that count as the same workflow. Raises UsageError
    RESOURCE_ALREADY_EXISTS when an active top-level run of one of them exists in the run's scope, unless
    `force`; nothing is written then.
    """
    if run.scope_key is None:
        raise ValueError("a top-level run needs a scope")
    if run.workflow_ref not in refs:
        raise ValueError("refs must hold the run's own ref")
    with db.immediate() as tx:
        active = None if force else runs.active_in_scope(tx, refs, run.scope_key)
        if active is not None:
            raise already_active(active)
        _insert(tx, run, spine)


def publish_child(db: Database, run: NewRun, spine: Sequence[NewStep]) -> sql.RunHead:
    """Start the child run that `run.parent_run_id` invokes under `run.invocation_key`, once.

    A child that exists already is returned as it is and nothing is written, so that two racing publishers and
    a resumed parent all get the same run.
    """
    if run.parent_run_id is None or run.invocation_key is None:
        raise ValueError("a child needs its parent's id and an invocation key")
    with db.immediate() as tx:
        known = runs.by_invocation(tx, run.parent_run_id, run.invocation_key)
        if known is not None:
            return known
        _insert(tx, run, spine)
        return sql.RunHead(run.id, run.workflow_ref, run.status, run.current_step_id)


def resume(db: Database, run_id: str, *, at: str) -> bool:
    """Make a blocked or failed run active again; False when it is active already and nothing was written.

    The step it stopped at goes back to pending without its notes, evidence, summary and time; unit rows stay,
    so finished units are reused. Writes `workflow_resumed`. Raises UsageError when the run is completed.
    """
    with db.immediate() as tx:
        run = _known(tx, run_id)
        if run.status == states.COMPLETED:
            raise UsageError(
                f"Run {run_id} is completed, so there is nothing to resume.",
                hint=f"Start a fresh run with `akm workflow run {run.workflow_ref}`.",
            )
        if not runs.reopen(tx, run_id, at):
            return False
        if run.current_step_id is not None:
            steps.reopen(tx, run_id, run.current_step_id)
        metadata: dict[str, str | int] = {"runId": run_id, "status": states.ACTIVE}
        events.append(tx, "workflow_resumed", at=at, ref=run.workflow_ref, metadata=metadata)
        return True


def abandon(db: Database, run_id: str, *, at: str) -> tuple[str, ...]:
    """End an active or blocked run as failed, and with it every unfinished run below it; steps stay.

    Writes `workflow_abandoned` for each of them and returns the ids of the children, deepest last. A live
    driver notices at its next reservation. Raises UsageError when the run has ended; nothing is written then.
    """
    with db.immediate() as tx:
        run = _known(tx, run_id)
        if not runs.abandon(tx, run_id, at):
            raise UsageError(f"Run {run_id} is {run.status} already, so there is nothing to abandon.")
        _record_abandoned(tx, run_id, run.workflow_ref, at)
        return tuple(_abandon_below(tx, run_id, at))


def _abandon_below(tx: Transaction, run_id: str, at: str) -> Iterator[str]:
    for child in runs.children(tx, run_id):
        if runs.abandon(tx, child.id, at):
            _record_abandoned(tx, child.id, child.workflow_ref, at)
            yield child.id
        # A child that has ended may have been resumed from below.
        yield from _abandon_below(tx, child.id, at)


def _record_abandoned(tx: Transaction, run_id: str, ref: str, at: str) -> None:
    events.append_once(tx, "workflow_abandoned", run_id, at=at, ref=ref, metadata={"runId": run_id})


def already_active(
    active: sql.ActiveRun, otherwise: str = "start another one beside it with --new"
) -> UsageError:
    """Build the error that names the active run which stands in the way.

    `otherwise` is what the hint ends with: what can be done while that run goes on.
    """
    return UsageError(
        f"{active.workflow_ref} is already active here as run {active.id} (scope {active.scope_key}, "
        f"at step {active.current_step_id or '-'}).",
        code="RESOURCE_ALREADY_EXISTS",
        hint=f"Continue it with `akm workflow run {active.id}`, end it with "
        f"`akm workflow abandon {active.id}`, or {otherwise}.",
    )


def _insert(tx: Transaction, run: NewRun, spine: Sequence[NewStep]) -> None:
    runs.insert(tx, run)
    for step in spine:
        steps.insert(tx, run.id, step)
    events.append_once(
        tx,
        "workflow_started",
        run.id,
        at=run.created_at,
        ref=run.workflow_ref,
        metadata={"runId": run.id, "status": run.status},
    )


def _known(tx: Transaction, run_id: str) -> sql.RunHead:
    run = runs.head(tx, run_id)
    if run is None:
        raise NotFoundError(f"There is no run {run_id}.", code="WORKFLOW_NOT_FOUND")
    return run
