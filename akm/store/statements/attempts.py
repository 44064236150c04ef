"""Statements about attempts, the append-only journal."""

from __future__ import annotations

from typing import Any

from sqlalchemy import REAL, Integer, bindparam, case, func, insert, select, update

from akm import states
from akm.models import WorkflowRunUnit, WorkflowRunUnitAttempt
from akm.store.statements import Written, at_most, fixed, shown, word

attempts = WorkflowRunUnitAttempt.__table__  # type: ignore[attr-defined]
c = attempts.c

RESERVED = (
    *("run_id", "unit_id", "attempt", "dispatch_id", "step_id", "node_id", "phase", "runner", "engine"),
    *("model", "input_hash", "started_at", "claim_holder", "claim_expires_at", "worktree_path"),
)
RESULT = ("status", "result_json", "tokens", "cost", "failure_reason", "session_id", "finished_at")
ONE = (c.run_id == bindparam("run_id"), c.unit_id == bindparam("unit_id"))
OF_RUN = c.run_id == bindparam("run_id")
TOKENS = func.coalesce(c.tokens, fixed(0))
#: Null when nothing is known of any cost: what no tool reports and nobody priced is not free.
COST = func.sum(c.cost, type_=REAL).label("cost")


def of_phase(phase: str, value: Any) -> Any:
    """Sum `value` over the attempts of one phase; 0 when there are none."""
    total = func.sum(case((c.phase == word(phase), value), else_=fixed(0)))
    return func.coalesce(total, fixed(0), type_=Integer)


units = WorkflowRunUnit.__table__.c  # type: ignore[attr-defined]
TOLD = ("step_id", "node_id", "phase", "runner", "engine", "model", "input_hash", "status", "result_json")
COPIED = (*TOLD, "session_id", "started_at", "finished_at", "claim_holder", "claim_expires_at")

STATEMENTS = [
    Written(
        # From the units that were copied before, each of them as its only attempt.
        "ATTEMPTS_COPY",
        insert(attempts).from_select(
            ["run_id", "unit_id", "attempt", "dispatch_id", *COPIED],
            select(
                units.run_id,
                units.unit_id,
                units.attempts,
                func.lower(func.hex(func.randomblob(fixed(16)))),
                *(units[name] for name in COPIED),
            ).where(units.run_id == bindparam("run_id")),
        ),
    ),
    Written(
        "ATTEMPT_LATEST",
        at_most(
            select(c.attempt, c.dispatch_id, c.status, c.worktree_path)
            .where(*ONE)
            .order_by(c.attempt.desc()),
            fixed(1),
        ),
        "LatestAttempt",
    ),
    Written(
        "ATTEMPT_INSERT",
        insert(attempts).values(**{name: bindparam(name) for name in RESERVED}, status=word(states.RUNNING)),
    ),
    Written(
        "ATTEMPT_FINISH",
        update(attempts)
        .where(
            *ONE,
            c.attempt == bindparam("attempt"),
            c.dispatch_id == bindparam("dispatch_id"),
            c.status == word(states.RUNNING),
        )
        .values(**{name: bindparam(name) for name in (*RESULT, "worktree_path")})
        .returning(c.step_id, c.phase),
        "FinishedAttempt",
    ),
    Written(
        "ATTEMPT_ACCOUNTING",
        select(
            of_phase("unit", fixed(1)).label("dispatches"),
            of_phase("unit", TOKENS).label("dispatch_tokens"),
            of_phase("gate", fixed(1)).label("gates"),
            of_phase("gate", TOKENS).label("gate_tokens"),
            COST,
        ).where(OF_RUN),
        "Accounting",
    ),
    Written(
        "ATTEMPT_USAGE_BY_STEP",
        select(
            c.step_id,
            of_phase("unit", fixed(1)).label("dispatches"),
            of_phase("gate", fixed(1)).label("gates"),
            func.sum(TOKENS, type_=Integer).label("tokens"),
            COST,
        )
        .where(OF_RUN)
        .group_by(c.step_id),
        "StepUsage",
    ),
    # Commands have no engine, and spend nothing that could be told apart by model.
    Written(
        "ATTEMPT_USAGE_BY_MODEL",
        select(
            *(c.engine, c.model, func.count().label("attempts")),
            *(func.sum(TOKENS, type_=Integer).label("tokens"), COST),
        )
        .where(OF_RUN, c.engine.is_not(None))
        .group_by(c.engine, c.model),
        "ModelUsage",
    ),
    Written(
        "ATTEMPT_OPEN",
        at_most(select(c.run_id).where(OF_RUN, c.status == word(states.RUNNING)), fixed(1)),
        "OpenRun",
    ),
    Written(
        "ATTEMPT_WORKTREES",
        select(c.unit_id, c.attempt, c.step_id, c.status, c.worktree_path, c.started_at)
        .where(OF_RUN, c.worktree_path.is_not(None))
        .order_by(c.run_id, c.unit_id, c.attempt),
        "Worktree",
    ),
    Written(
        "ATTEMPTS_OF_RUN",
        select(*shown(c)).where(OF_RUN).order_by(c.run_id, c.unit_id, c.attempt),
        "Attempt",
    ),
]
