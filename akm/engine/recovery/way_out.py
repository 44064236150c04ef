"""The commands that lead a failed or blocked run on, also when what stopped it is a run below or above it."""

from __future__ import annotations

from typing import Any

from akm import states
from akm.engine import plans, runs_below
from akm.engine.gates import approvals
from akm.engine.recovery import dead_ends
from akm.engine.recovery.dead_ends import Help
from akm.store.database import Database
from akm.store.sql import RunSummary
from akm.views import runs

_STOPPED = (states.FAILED, states.BLOCKED)


def commands(db: Database, run_id: str) -> list[str]:
    """List what has to be typed, in this order, once whatever stopped the run has been put right.

    Of a child it is what leads its root on, which drives it; of one that its parent went on without, a fork
    of the root. Where no driver of the run could get past what stopped it, it is the run that could. Empty
    when nothing is stopped.
    """
    root = runs.head(db, runs.root(db, run_id))
    below = runs_below.stopped(db, root.id)
    if root.status not in _STOPPED and not below:
        is_left_behind = runs.head(db, run_id).status in _STOPPED
        return [_fork_without(db, root, run_id)] if is_left_behind else []
    if approvals.shown(db, root.id):
        return [f"akm workflow approve {root.id}", f"akm workflow run {root.id}"]
    instead = _instead(db, root, below)
    if instead is not None:
        return [instead]
    waiting = [f"akm workflow approve {child}" for child in below if approvals.shown(db, child)]
    cascade = " --cascade" if below else ""
    return [*waiting, f"akm workflow resume {root.id}{cascade}", f"akm workflow run {root.id}"]


def onward(db: Database, run_id: str) -> list[str]:
    """List what has to be typed to go on with an active run: of a child, what leads its root on."""
    root = runs.head(db, runs.root(db, run_id))
    # A root that is completed went on without the child, which nobody else can drive.
    driven = run_id if root.status == states.COMPLETED else root.id
    return commands(db, run_id) or [f"akm workflow run {driven}"]


def sentence(db: Database, run_id: str) -> str:
    """Put the commands into words, each in backticks."""
    return ", then ".join(f"`{one}`" for one in commands(db, run_id))


def _instead(db: Database, root: RunSummary, below: list[str]) -> str | None:
    """Find what helps where reopening does not; None where it may."""
    if any(dead_ends.helping(db, child) for child in below):
        # A fork would call the same child with the same plan.
        return plans.anew(root.workflow_ref)
    found = dead_ends.helping(db, root.id)
    if found is Help.FORK:
        return f"akm workflow fork {root.id} --from {root.current_step_id}"
    return None if found is None else plans.anew(root.workflow_ref)


def _fork_without(db: Database, root: RunSummary, run_id: str) -> str:
    tree = runs.detail(db, root.id).get("children", [])
    step = next((child["stepId"] for child in tree if _holds(child, run_id)), None)
    beside = " --new" if root.status == states.ACTIVE else ""
    return f"akm workflow fork {root.id} --from {step or 'STEP'}{beside}"


def _holds(child: dict[str, Any], run_id: str) -> bool:
    return child["runId"] == run_id or any(_holds(one, run_id) for one in child.get("children", []))
