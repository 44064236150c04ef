"""The commands that lead a failed or blocked run on, also when what stopped it is a run below or above it."""

from __future__ import annotations

from akm import states
from akm.engine import runs_below
from akm.engine.gates import approvals
from akm.store.database import Database
from akm.views import runs

_STOPPED = (states.FAILED, states.BLOCKED)


def commands(db: Database, run_id: str) -> list[str]:
    """List what has to be typed, in this order, once whatever stopped the run has been put right.

    Of a child it is what leads its root on, which drives it; of one that its parent went on without, a fork
    of the root. Empty when nothing is stopped.
    """
    root = runs.root(db, run_id)
    below = runs_below.stopped(db, root)
    if runs.head(db, root).status not in _STOPPED and not below:
        is_left_behind = runs.head(db, run_id).status in _STOPPED
        return [f"akm workflow fork {root} --from STEP"] if is_left_behind else []
    if approvals.shown(db, root):
        return [f"akm workflow approve {root}", f"akm workflow run {root}"]
    waiting = [f"akm workflow approve {child}" for child in below if approvals.shown(db, child)]
    cascade = " --cascade" if below else ""
    return [*waiting, f"akm workflow resume {root}{cascade}", f"akm workflow run {root}"]


def sentence(db: Database, run_id: str) -> str:
    """Put the commands into words, each in backticks."""
    return ", then ".join(f"`{one}`" for one in commands(db, run_id))
