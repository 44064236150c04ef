"""Runs as a person at the command sees them: the ledger's view, and whether somebody is driving them."""

from __future__ import annotations

from typing import Any

from akm import config, states
from akm.engine import lock
from akm.store.database import Database
from akm.views import runs, units, usage
from akm.views.runs import Filters


def listing(db: Database, filters: Filters) -> dict[str, Any]:
    """List runs as {runs, scopeKey, results}; `scopeKey` is null for all scopes."""
    found = runs.listing(db, filters)
    mark_interrupted(db, found)
    scope_key = None if filters.all_scopes else filters.scope_key
    return {"runs": found, "scopeKey": scope_key, "results": found}


def detail(
    db: Database, run_id: str, *, with_units: bool = False, with_attempts: bool = False
) -> dict[str, Any]:
    """Read one run with its steps and its usage, and on request its units and its whole journal."""
    shown = runs.detail(db, run_id)
    shown["usage"] = usage.of_run(db, run_id)
    mark_interrupted(db, [shown["run"]])
    if shown["run"]["status"] == states.BLOCKED:
        from akm.engine.gates import approvals

        waiting = approvals.shown(db, run_id)
        shown |= {"waiting": waiting} if waiting else {}
    is_interrupted = shown["run"].get("interrupted", False)
    is_stopped = shown["run"]["status"] in (states.BLOCKED, states.FAILED)
    if is_interrupted or is_stopped:
        _mark_continuable(db, shown)
    if (is_stopped or "parentRunId" in shown["run"]) and shown["run"].get("continuable", True):
        from akm.engine.recovery import way_out

        commands = way_out.commands(db, run_id)
        shown |= {"wayOut": commands} if commands else {}
    if with_units:
        shown["units"] = units.of_run(db, run_id)
        _mark_running(shown["units"], is_interrupted)
        _mark_changed(db, shown)
    if with_attempts:
        shown["attempts"] = units.journal(db, run_id)
        _mark_running(shown["attempts"], is_interrupted)
    return shown


def mark_interrupted(db: Database, shown: list[dict[str, Any]]) -> None:
    """Mark active runs that nobody drives, and say how to go on; nothing is written."""
    active = [run for run in shown if run["status"] == states.ACTIVE]
    driven = lock.driven(lock.folder(db.path), [run["id"] for run in active]) if active else set()
    for run in active:
        if run["id"] not in driven:
            run["interrupted"] = True
            run["next"] = f"akm workflow run {run['id']}"


def driver(db: Database, run_id: str) -> str | None:
    """Describe the process that drives a run; None when nobody does."""
    folder = lock.folder(db.path)
    return lock.describe(lock.lock_path(folder, run_id)) if lock.driven(folder, [run_id]) else None


def _mark_continuable(db: Database, shown: dict[str, Any]) -> None:
    """Say of a run that stands still whether its frozen plan can be gone on with, and if not, why."""
    # Only runs that stand still pay for reading their plan.
    from akm.engine import plans
    from akm.engine.recovery import continuing

    run = shown["run"]
    stored = runs.plan(db, run["id"])
    spine = {step["id"]: step["status"] for step in shown["workflow"]["steps"]}
    reason = continuing.obstacle(stored and stored.plan_json, stored and stored.plan_ir_version, spine)
    run["continuable"] = reason is None
    if reason is not None:
        run["reason"] = reason
        run["next"] = plans.anew(run["workflowRef"])


def _mark_running(rows: list[dict[str, Any]], is_interrupted: bool) -> None:
    for row in rows:
        if is_interrupted and row["status"] == states.RUNNING:
            row["interrupted"] = True


def _mark_changed(db: Database, shown: dict[str, Any]) -> None:
    """Mark finished units that would get another input today; they are reused all the same."""
    # Deriving inputs needs the plan and the compiler's neighbours, so only this view pays for them.
    from akm.engine import reuse

    changed = reuse.changed(db, shown["run"]["id"])
    for row in shown["units"]:
        if row["unitId"] in changed:
            row["inputChanged"] = True


def look_up(db: Database, layers: config.Layers, text: str, *, all_scopes: bool) -> str:
    """Find the run that `text` means: an id, its beginning, or the newest run of a ref here."""
    run_id = runs.find(db, text)
    if run_id is not None:
        return run_id
    # Refs need the file system and the compiler's neighbours; ids, the common case, do not pay for them.
    from akm.engine import target, workplace

    return target.shown(db, workplace.here(layers=layers), text, all_scopes=all_scopes)


def ref_filter(layers: config.Layers, ref: str | None) -> tuple[str, ...]:
    """Return the stored spellings that a ref filter matches; none for no filter."""
    if ref is None:
        return ()
    from akm.engine import target, workplace

    return target.listed_refs(workplace.here(layers=layers), ref)
