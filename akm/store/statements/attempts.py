"""Statements about attempts, the append-only journal."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Integer, bindparam, case, func, insert, select, update

from akm import states
from akm.models import WorkflowRunUnitAttempt
from akm.store.statements import Written, at_most, fixed, shown, word

attempts = WorkflowRunUnitAttempt.__table__  # type: ignore[attr-defined]
c = attempts.c

RESERVED = (
    *("run_id", "unit_id", "attempt", "dispatch_id", "step_id", "node_id", "phase", "runner", "engine"),
    *("model", "input_hash", "started_at", "claim_holder", "claim_expires_at", "worktree_path"),
)
RESULT = ("status", "result_json", "tokens", "failure_reason", "session_id", "finished_at")
ONE = (c.run_id == bindparam("run_id"), c.unit_id == bindparam("unit_id"))


TOKENS = func.coalesce(c.tokens, fixed(0))


def of_phase(phase: str, value: Any) -> Any:
    """Sum `value` over the attempts of one phase; 0 when there are none."""
    total = func.sum(case((c.phase == word(phase), value), else_=fixed(0)))
    return func.coalesce(total, fixed(0), type_=Integer)


STATEMENTS = [
    Written(
        "ATTEMPT_LATEST",
        at_most(select(c.attempt, c.dispatch_id, c.status).where(*ONE).order_by(c.attempt.desc()), fixed(1)),
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
        .values(**{name: bindparam(name) for name in RESULT})
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
        ).where(c.run_id == bindparam("run_id")),
        "Accounting",
    ),
    Written(
        "ATTEMPTS_OF_RUN",
        select(*shown(c)).where(c.run_id == bindparam("run_id")).order_by(c.run_id, c.unit_id, c.attempt),
        "Attempt",
    ),
]
