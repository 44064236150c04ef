"""Rows of `workflow_runs`."""

from __future__ import annotations

from typing import NamedTuple

from akm.ids import prefix_end
from akm.ref_grammar import bundle_range
from akm.states import RunState
from akm.store import sql
from akm.store.database import Transaction

#: How many ids a prefix lists at the most.
MOST_IDS = 20


class NewRun(NamedTuple):
    """Everything a run's row is born with. JSON columns are text."""

    id: str
    workflow_ref: str
    workflow_title: str
    status: str
    current_step_id: str
    created_at: str
    updated_at: str
    scope_key: str | None
    params_json: str
    plan_json: str
    plan_hash: str
    plan_ir_version: int
    workflow_entry_id: int | None = None
    agent_harness: str | None = None
    agent_session_id: str | None = None
    parent_run_id: str | None = None
    parent_unit_id: str | None = None
    invocation_key: str | None = None
    forked_from_run_id: str | None = None
    forked_from_step_id: str | None = None


class Filters(NamedTuple):
    """Filters of a listing, joined by AND. `refs` holds up to three spellings of one ref; empty is any."""

    scope_key: str | None
    all_scopes: bool = False
    refs: tuple[str, ...] = ()
    status: str | None = None
    children: bool = False
    limit: int = 50
    offset: int = 0


def insert(tx: Transaction, run: NewRun) -> None:
    """Insert a run."""
    tx.run(sql.RUN_INSERT, **run._asdict())


def head(tx: Transaction, run_id: str) -> sql.RunHead | None:
    """Read what every decision about a run needs."""
    return tx.one(sql.RUN_HEAD, run_id=run_id)


def summary(tx: Transaction, run_id: str) -> sql.RunSummary | None:
    """Read a run without its plan."""
    return tx.one(sql.RUN_SUMMARY, run_id=run_id)


def plan(tx: Transaction, run_id: str) -> sql.RunPlan | None:
    """Read a run's frozen plan."""
    return tx.one(sql.RUN_PLAN, run_id=run_id)


def has_plan(tx: Transaction, run_id: str) -> bool:
    """Tell whether a run's plan is there and is JSON, without reading it."""
    row = tx.one(sql.RUN_HAS_PLAN, run_id=run_id)
    return row is not None and row.has_plan == 1


def ids_from(tx: Transaction, prefix: str, limit: int = MOST_IDS) -> list[str]:
    """List the ids that start with `prefix`, in order."""
    rows = tx.all(sql.RUN_IDS_FROM, first=prefix, end=prefix_end(prefix), limit=limit)
    return [row.id for row in rows]


def active_in_scope(tx: Transaction, refs: tuple[str, ...], scope_key: str) -> sql.ActiveRun | None:
    """Find the newest active top-level run of a ref in a scope."""
    found = (tx.one(sql.RUN_ACTIVE_IN_SCOPE, ref=ref, scope_key=scope_key) for ref in refs)
    return max(filter(None, found), key=lambda run: (run.updated_at, run.created_at), default=None)


def active_elsewhere(tx: Transaction, refs: tuple[str, ...], scope_key: str) -> sql.ActiveRun | None:
    """Find the newest active top-level run of a ref outside a scope."""
    found = (tx.one(sql.RUN_ACTIVE_ELSEWHERE, ref=ref, scope_key=scope_key) for ref in refs)
    return max(filter(None, found), key=lambda run: (run.updated_at, run.created_at), default=None)


def latest(tx: Transaction, refs: tuple[str, ...], scope_key: str | None) -> str | None:
    """Find the most recently updated top-level run of a ref, in a scope or (None) anywhere."""
    if scope_key is None:
        found = [tx.one(sql.RUN_LATEST_ANYWHERE, ref=ref) for ref in refs]
    else:
        found = [tx.one(sql.RUN_LATEST_IN_SCOPE, ref=ref, scope_key=scope_key) for ref in refs]
    newest = max(filter(None, found), key=lambda run: run.updated_at, default=None)
    return None if newest is None else newest.id


def page(tx: Transaction, filters: Filters) -> list[sql.RunSummary]:
    """List runs, newest first."""
    refs = (*filters.refs, *(None,) * (3 - len(filters.refs)))
    wanted = {
        "ref": refs[0],
        "ref2": refs[1],
        "ref3": refs[2],
        "status": filters.status,
        "children": int(filters.children),
        "limit": filters.limit,
        "offset": filters.offset,
    }
    if filters.all_scopes:
        return tx.all(sql.RUNS_EVERYWHERE, **wanted)
    return tx.all(sql.RUNS_OF_SCOPE, scope_key=filters.scope_key, **wanted)


def children(tx: Transaction, run_id: str) -> list[sql.RunSummary]:
    """List the child runs of a run, oldest first."""
    return tx.all(sql.RUN_CHILDREN, parent_run_id=run_id)


def by_invocation(tx: Transaction, parent_run_id: str, invocation_key: str) -> sql.RunHead | None:
    """Find the child that an invocation of a parent has made."""
    return tx.one(sql.RUN_BY_INVOCATION, parent_run_id=parent_run_id, invocation_key=invocation_key)


def set_state(tx: Transaction, run_id: str, state: RunState, at: str) -> bool:
    """Write the derived state of an active run; tells whether it landed."""
    return tx.run(sql.RUN_SET_STATE, run_id=run_id, at=at, **state._asdict()) == 1


def reopen(tx: Transaction, run_id: str, at: str) -> bool:
    """Make a blocked or failed run active; tells whether it landed."""
    return tx.run(sql.RUN_REOPEN, run_id=run_id, at=at) == 1


def abandon(tx: Transaction, run_id: str, at: str) -> bool:
    """End an active or blocked run as failed; tells whether it landed."""
    return tx.run(sql.RUN_ABANDON, run_id=run_id, at=at) == 1


def rename_refs(tx: Transaction, old: str, new: str) -> int:
    """Move every ref of the bundle `old`, exact in case, to the bundle `new`. Plans stay as they are."""
    first, end = bundle_range(old)
    return tx.run(sql.RUNS_RENAME_REFS, first=first, end=end, new=new, tail=len(old) + 1)


def of_bundle(tx: Transaction, bundle: str) -> int:
    """Count what `rename_refs` would move."""
    first, end = bundle_range(bundle)
    row = tx.one(sql.RUNS_OF_BUNDLE, first=first, end=end)
    return 0 if row is None else row.rows


def active_of_bundle(tx: Transaction, bundle: str) -> list[str]:
    """List the ids of a bundle's active runs."""
    first, end = bundle_range(bundle)
    return [row.id for row in tx.all(sql.RUNS_ACTIVE_OF_BUNDLE, first=first, end=end)]
