"""Runs as people ask for them: by id or prefix, in lists, and in detail."""

from __future__ import annotations

from typing import Any

from akm import ids
from akm.errors import NotFoundError, UsageError
from akm.store import runs, sql, steps, units
from akm.store.database import Database, Transaction
from akm.store.runs import Filters
from akm.views import run_json

__all__ = ["Filters", "active_elsewhere", "active_in_scope", "detail", "find", "latest", "listing", "resolve"]


def find(db: Database, text: str) -> str | None:
    """Find the run whose id is `text` or starts with it (4 or more characters); None when none does.

    Raises UsageError listing the candidates when several do.
    """
    if not ids.is_prefix(text):
        return None
    with db.read() as tx:
        found = runs.ids_from(tx, text)
    if len(found) > 1:
        more = " and more" if len(found) == runs.MOST_IDS else ""
        raise UsageError(
            f"{text!r} is the beginning of several run ids: {', '.join(found)}{more}.",
            hint="Give more characters of the one you mean.",
        )
    return found[0] if found else None


def resolve(db: Database, text: str) -> str:
    """Find the run as `find` does, and raise NotFoundError WORKFLOW_NOT_FOUND when there is none."""
    found = find(db, text)
    if found is None:
        wanted = "" if ids.is_prefix(text) else ": give a run's id, or its first 4 or more characters"
        raise NotFoundError(f"There is no run {text!r}{wanted}.", code="WORKFLOW_NOT_FOUND")
    return found


def active_in_scope(db: Database, refs: tuple[str, ...], scope_key: str) -> sql.ActiveRun | None:
    """Find the active run that a start of one of `refs` in this scope would attach to."""
    with db.read() as tx:
        return runs.active_in_scope(tx, refs, scope_key)


def active_elsewhere(db: Database, refs: tuple[str, ...], scope_key: str) -> sql.ActiveRun | None:
    """Find the newest active run of one of `refs` in any other scope."""
    with db.read() as tx:
        return runs.active_elsewhere(tx, refs, scope_key)


def latest(db: Database, refs: tuple[str, ...], scope_key: str | None) -> str | None:
    """Find the most recently updated run of one of `refs`, in a scope or (None) anywhere."""
    with db.read() as tx:
        return runs.latest(tx, refs, scope_key)


def identifiers(db: Database, prefix: str) -> list[str]:
    """List up to 20 run ids that start with `prefix`, for completion."""
    with db.read() as tx:
        if prefix:
            return runs.ids_from(tx, prefix)
        return [run.id for run in runs.page(tx, Filters(None, all_scopes=True, limit=20))]


def listing(db: Database, filters: Filters) -> list[dict[str, Any]]:
    """List runs newest first; plans and results are not read."""
    with db.read() as tx:
        return [run_json.summary(row) for row in runs.page(tx, filters)]


def detail(db: Database, run_id: str) -> dict[str, Any]:
    """Read one run with its steps and, where it has any, the tree of its children.

    Returns {run, workflow: {ref, title, steps}, children?, warnings?}. Raises NotFoundError.
    """
    with db.read() as tx:
        row = runs.summary(tx, run_id)
        if row is None:
            raise NotFoundError(f"There is no run {run_id!r}.", code="WORKFLOW_NOT_FOUND")
        damaged: list[str] = []
        spine = [run_json.step(row, damaged) for row in steps.of_run(tx, run_id)]
        tree = children(tx, run_id, root=run_id)
        shown: dict[str, Any] = {
            "run": run_json.summary(row, damaged),
            "workflow": {"ref": row.workflow_ref, "title": row.workflow_title, "steps": spine},
        }
        if not runs.has_plan(tx, run_id):
            damaged.append("plan_json")
    if tree:
        shown["children"] = tree
    if damaged:
        shown["warnings"] = [f"{field} of run {run_id} is missing or damaged." for field in damaged]
    return shown


def evidence(db: Database, run_id: str, step_id: str) -> str | None:
    """Read the evidence of one step as JSON text; None when it has none."""
    with db.read() as tx:
        return steps.evidence(tx, run_id, step_id)


def plan(db: Database, run_id: str) -> sql.RunPlan | None:
    """Read a run's frozen plan as it is stored."""
    with db.read() as tx:
        return runs.plan(tx, run_id)


def head(db: Database, run_id: str) -> sql.RunSummary:
    """Read one run without steps and plan. Raises NotFoundError."""
    with db.read() as tx:
        row = runs.summary(tx, run_id)
    if row is None:
        raise NotFoundError(f"There is no run {run_id!r}.", code="WORKFLOW_NOT_FOUND")
    return row


def root(db: Database, run_id: str) -> str:
    """Find the run at the top of the family that a run belongs to: itself unless it is a child."""
    with db.read() as tx:
        row = runs.summary(tx, run_id)
        while row is not None and row.parent_run_id is not None:
            row = runs.summary(tx, row.parent_run_id)
            run_id = run_id if row is None else row.id
    return run_id


def children(tx: Transaction, run_id: str, *, root: str) -> list[dict[str, Any]]:
    """Read the tree of a run's children, oldest first; empty when it has none."""
    rows = runs.children(tx, run_id)
    if not rows:
        return []
    owners = {unit.unit_id: unit.step_id for unit in units.of_run(tx, run_id)}
    return [_child(tx, row, owners.get(row.parent_unit_id or ""), root) for row in rows]


def _child(tx: Transaction, row: sql.RunSummary, step_id: str | None, root: str) -> dict[str, Any]:
    node: dict[str, Any] = {
        "runId": row.id,
        "workflowRef": row.workflow_ref,
        "workflowTitle": row.workflow_title,
        "status": row.status,
        "spawnedByUnitId": row.parent_unit_id,
        "stepId": step_id,
        "currentStepId": row.current_step_id,
        "createdAt": row.created_at,
        "updatedAt": row.updated_at,
    }
    if row.status == "blocked":
        node["resume"] = {
            "command": f"akm workflow resume {row.id}",
            "then": f"akm workflow run {root}",
        }
    deeper = children(tx, row.id, root=root)
    if deeper:
        node["children"] = deeper
    return node
