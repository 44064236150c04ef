"""Reading a run's frozen plan back, and what to do when that is not possible."""

from __future__ import annotations

from typing import NamedTuple

from akm.errors import UsageError
from akm.services import runs
from akm.store.database import Database
from akm.views import runs as run_views
from akm.workflow import plan_json
from akm.workflow.plan import IR_VERSION, Plan


class Readable(NamedTuple):
    """A stored plan. `warning` when it was written by another version of akm."""

    plan: Plan
    warning: str | None


def read(db: Database, run_id: str, ref: str, *, at: str) -> Readable | str:
    """Read a run's plan; when it cannot be read any more, abandon the run and return a sentence saying so.

    A plan of a newer akm that cannot be read raises UsageError and leaves the run as it is.
    """
    stored = run_views.plan(db, run_id)
    version = stored.plan_ir_version if stored is not None else None
    try:
        plan = plan_json.decode((stored.plan_json if stored is not None else None) or "")
    except plan_json.PlanUndecodable as error:
        return _unreadable(db, run_id, ref, version, error, at)
    if version == IR_VERSION:
        return Readable(plan, None)
    warning = (
        f"The plan of run {run_id} has format {version}, this akm writes {IR_VERSION}; it is run as it is."
    )
    return Readable(plan, warning)


def _unreadable(db: Database, run_id: str, ref: str, version: int | None, error: Exception, at: str) -> str:
    if version is not None and version > IR_VERSION:
        raise UsageError(
            f"The plan of run {run_id} has format {version}, newer than this akm's {IR_VERSION}; "
            "the run was left as it is.",
            code="INVALID_JSON_ARGUMENT",
            hint="Upgrade akm, then run the same command again.",
        ) from error
    runs.abandon(db, run_id, at=at)
    return (
        f"The plan of run {run_id} cannot be read ({error}), so the run was abandoned. "
        f"Start anew with `akm workflow run --new {ref}`."
    )
