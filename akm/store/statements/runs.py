"""Statements about runs."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Boolean, Integer, and_, bindparam, func, insert, null, or_, select, update

from akm import states
from akm.models import WorkflowRun
from akm.store.statements import Written, at_most, fixed, in_bundle, moved, word

runs = WorkflowRun.__table__  # type: ignore[attr-defined]
c = runs.c

HEAD = (c.id, c.workflow_ref, c.status, c.current_step_id)
# Everything but the plan and the columns of old databases: what listings show.
SUMMARY = (
    *(c.id, c.workflow_ref, c.workflow_entry_id, c.workflow_title, c.status, c.current_step_id),
    *(c.created_at, c.updated_at, c.completed_at, c.scope_key, c.agent_harness, c.agent_session_id),
    *(c.parent_run_id, c.parent_unit_id, c.forked_from_run_id, c.forked_from_step_id),
    *(c.plan_ir_version, c.params_json, c.outputs_json),
)
INSERTED = (
    *("id", "workflow_ref", "workflow_entry_id", "workflow_title", "status", "current_step_id"),
    *("created_at", "updated_at", "scope_key", "agent_harness", "agent_session_id", "parent_run_id"),
    *("parent_unit_id", "invocation_key", "forked_from_run_id", "forked_from_step_id", "plan_hash"),
    *("plan_ir_version", "params_json", "plan_json"),
)
THIS = c.id == bindparam("run_id")
OF_REF = (c.workflow_ref == bindparam("ref"), c.parent_run_id.is_(None))
IN_SCOPE = c.scope_key == bindparam("scope_key")
PARKED = c.status.in_([word(states.BLOCKED), word(states.FAILED)])
UNFINISHED = c.status.in_([word(states.ACTIVE), word(states.BLOCKED)])
NEWEST = (c.updated_at.desc(), c.created_at.desc())
IN_BUNDLE = in_bundle(c.workflow_ref)
MATCHES = and_(
    or_(
        bindparam("ref").is_(None),
        c.workflow_ref.in_([bindparam("ref"), bindparam("ref2"), bindparam("ref3")]),
    ),
    or_(bindparam("status").is_(None), c.status == bindparam("status")),
    or_(bindparam("children", type_=Boolean), c.parent_run_id.is_(None)),
)


def page(*conditions: Any) -> Any:
    """Select one page of summaries, newest first, with the optional filters of a listing."""
    chosen = select(*SUMMARY).where(*conditions, MATCHES)
    return at_most(chosen.order_by(*NEWEST), bindparam("limit"), bindparam("offset"))


def newest_active(*conditions: Any) -> Any:
    """Select the newest active top-level run of a ref under further conditions."""
    chosen = select(c.id, c.workflow_ref, c.scope_key, c.current_step_id, c.created_at, c.updated_at)
    wanted = chosen.where(*conditions, *OF_REF, c.status == word(states.ACTIVE))
    return at_most(wanted.order_by(*NEWEST), fixed(1))


def newest_of_ref(*conditions: Any) -> Any:
    """Select the newest top-level run of a ref in any state under further conditions."""
    return at_most(select(c.id, c.updated_at).where(*conditions, *OF_REF).order_by(*NEWEST), fixed(1))


IDS_FROM = select(c.id).where(c.id >= bindparam("first"), c.id < bindparam("end")).order_by(c.id)
CHILDREN = select(*SUMMARY).where(c.parent_run_id == bindparam("parent_run_id"))
BY_INVOCATION = select(*HEAD).where(
    c.parent_run_id == bindparam("parent_run_id"), c.invocation_key == bindparam("invocation_key")
)
# Checked inside SQLite, so that showing a run never loads its plan.
HAS_PLAN = func.coalesce(func.json_valid(c.plan_json, type_=Integer), fixed(0))
SET_STATE: dict[str, Any] = {name: bindparam(name) for name in ("status", "current_step_id", "completed_at")}
REOPENED = {"status": word(states.ACTIVE), "completed_at": null(), "updated_at": bindparam("at")}
ABANDONED = {"status": word(states.FAILED), "completed_at": bindparam("at"), "updated_at": bindparam("at")}

STATEMENTS = [
    Written("RUN_INSERT", insert(runs).values({name: bindparam(name) for name in INSERTED})),
    Written("RUN_HEAD", select(*HEAD).where(THIS), "RunHead"),
    Written("RUN_SUMMARY", select(*SUMMARY).where(THIS), "RunSummary"),
    Written("RUN_PLAN", select(c.plan_json, c.plan_hash, c.plan_ir_version).where(THIS), "RunPlan"),
    Written("RUN_HAS_PLAN", select(HAS_PLAN.label("has_plan")).where(THIS), "RunHasPlan"),
    Written("RUN_IDS_FROM", at_most(IDS_FROM, bindparam("limit")), "RunId"),
    Written("RUN_ACTIVE_IN_SCOPE", newest_active(IN_SCOPE), "ActiveRun"),
    Written(
        "RUN_ACTIVE_ELSEWHERE",
        newest_active(c.scope_key.is_distinct_from(bindparam("scope_key"))),
        "ActiveRun",
    ),
    Written("RUN_LATEST_IN_SCOPE", newest_of_ref(IN_SCOPE), "LatestRun"),
    Written("RUN_LATEST_ANYWHERE", newest_of_ref(), "LatestRun"),
    Written("RUNS_OF_SCOPE", page(IN_SCOPE), "RunSummary"),
    # True of every run: it makes SQLite walk the index of times from its end, for as far as the page goes.
    Written("RUNS_EVERYWHERE", page(c.updated_at > word("")), "RunSummary"),
    Written("RUN_CHILDREN", CHILDREN.order_by(c.created_at, c.id), "RunSummary"),
    Written("RUN_BY_INVOCATION", BY_INVOCATION, "RunHead"),
    Written(
        "RUN_SET_STATE",
        update(runs)
        .where(THIS, c.status == word(states.ACTIVE))
        .values(**SET_STATE, updated_at=bindparam("at")),
    ),
    Written("RUN_REOPEN", update(runs).where(THIS, PARKED).values(REOPENED)),
    Written("RUN_ABANDON", update(runs).where(THIS, UNFINISHED).values(ABANDONED)),
    Written("RUNS_RENAME_REFS", update(runs).where(*IN_BUNDLE).values(workflow_ref=moved(c.workflow_ref))),
    Written(
        "RUNS_OF_BUNDLE", select(func.count().label("rows")).select_from(runs).where(*IN_BUNDLE), "RunCount"
    ),
    Written(
        "RUNS_ACTIVE_OF_BUNDLE",
        select(c.id).where(*IN_BUNDLE, c.status == word(states.ACTIVE)),
        "RunId",
    ),
]
