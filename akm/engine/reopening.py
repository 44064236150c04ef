"""Making a run that failed or is blocked active again, unless nothing could go on with it."""

from __future__ import annotations

from akm import states
from akm.engine import plans
from akm.services import runs
from akm.store.database import Database
from akm.views import runs as run_views


def reopen(db: Database, run_id: str, *, at: str) -> bool:
    """Make a run active again, as `akm.services.runs.resume` does; False when it was active already.

    Raises UsageError, and leaves the run as it is, when its plan cannot be read any more: active, it would
    only stand in the way of a new one.
    """
    run = run_views.head(db, run_id)
    if run.status in (states.FAILED, states.BLOCKED):
        plans.refuse_unreadable(db, run_id, run.workflow_ref)
    return runs.resume(db, run_id, at=at)
