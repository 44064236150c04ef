"""Reading a run's frozen plan back, and what to do when that is not possible."""

from __future__ import annotations

from typing import NamedTuple

from akm.errors import UsageError
from akm.services import runs
from akm.store.database import Database
from akm.views import runs as run_views
from akm.workflow.plan import IR_VERSION, Plan
from akm.workflow.plan_text import plan_json


class Readable(NamedTuple):
    """A stored plan. `warning` when it was written by another version of akm."""

    plan: Plan
    warning: str | None


def read(db: Database, run_id: str, ref: str, *, at: str) -> Readable | str:
    """Read a run's plan; when it cannot be read any more, abandon the run and return a sentence saying so.

    A plan of a newer akm that cannot be read raises UsageError and leaves the run as it is.
    """
    try:
        plan, version = _stored(db, run_id)
    except plan_json.PlanUndecodable as error:
        runs.abandon(db, run_id, at=at)
        return (
            f"The plan of run {run_id} cannot be read ({error}), so the run was abandoned. "
            f"Start anew with `{anew(ref)}`."
        )
    if version == IR_VERSION:
        return Readable(plan, None)
    warning = (
        f"The plan of run {run_id} has format {version}, this akm writes {IR_VERSION}; it is run as it is."
    )
    return Readable(plan, warning)


def refuse_unreadable(db: Database, run_id: str, ref: str) -> None:
    """Raise UsageError when a run's plan cannot be read any more. Nothing is written."""
    try:
        _stored(db, run_id)
    except plan_json.PlanUndecodable as error:
        raise UsageError(
            f"The plan of run {run_id} cannot be read ({error}), so the run was left as it is.",
            code="INVALID_JSON_ARGUMENT",
            hint=f"Start anew: `{anew(ref)}`.",
        ) from error


def anew(ref: str) -> str:
    """Return the command that starts a workflow beside a run that nothing can go on with."""
    return f"akm workflow run --new {ref}"


def _stored(db: Database, run_id: str) -> tuple[Plan, int | None]:
    stored = run_views.plan(db, run_id)
    version = stored.plan_ir_version if stored is not None else None
    try:
        return plan_json.decode((stored.plan_json if stored is not None else None) or ""), version
    except plan_json.PlanUndecodable as error:
        if version is None or version <= IR_VERSION:
            raise
        raise UsageError(
            f"The plan of run {run_id} has format {version}, newer than this akm's {IR_VERSION}; "
            "the run was left as it is.",
            code="INVALID_JSON_ARGUMENT",
            hint="Upgrade akm, then run the same command again.",
        ) from error
