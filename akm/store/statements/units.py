"""Statements about the projection of units."""

from __future__ import annotations

from typing import Any

from sqlalchemy import bindparam, null, select, update
from sqlalchemy.dialects.sqlite import insert

from akm import states
from akm.models import WorkflowRunUnit
from akm.store.statements import Written, fixed, shown, word

units = WorkflowRunUnit.__table__  # type: ignore[attr-defined]
c = units.c

NAMED = ("step_id", "node_id", "parent_unit_id", "phase", "runner", "engine", "model", "input_hash")
CLAIM = ("started_at", "claim_holder", "claim_expires_at")
RESULT = ("result_json", "tokens", "cost", "failure_reason", "session_id", "finished_at")
UPSERT = insert(units).values(
    **{name: bindparam(name) for name in ("run_id", "unit_id", *NAMED, *CLAIM)},
    worktree_path=bindparam("worktree_path"),
    attempts=bindparam("attempt"),
    status=word(states.RUNNING),
)

#: What a copy cost was spent in the run that it comes from.
COPIED = (*NAMED, "started_at", "result_json", "session_id", "finished_at")
IS_COPIED = (
    c.run_id == bindparam("source_run_id"),
    c.step_id == bindparam("step_id"),
    c.phase == word("unit"),
    c.status == word(states.COMPLETED),
)


def copied(*given: Any) -> Any:
    """Select the finished units of a step as they are copied into a fork, as their first attempts."""
    return select(bindparam("run_id"), c.unit_id, *given, *(c[name] for name in COPIED)).where(*IS_COPIED)


STATEMENTS = [
    Written(
        "UNITS_COPY",
        insert(units).from_select(
            ["run_id", "unit_id", "status", "attempts", "claim_holder", "claim_expires_at", *COPIED],
            copied(c.status, fixed(1), bindparam("holder"), bindparam("at")),
        ),
    ),
    Written(
        "UNIT_RESERVE",
        UPSERT.on_conflict_do_update(
            index_elements=["run_id", "unit_id"],
            set_={
                **{
                    name: UPSERT.excluded[name]
                    for name in (*NAMED, *CLAIM, "attempts", "status", "worktree_path")
                },
                **dict.fromkeys(RESULT, null()),
            },
        ),
    ),
    Written(
        "UNIT_FINISH",
        update(units)
        .where(
            c.run_id == bindparam("run_id"),
            c.unit_id == bindparam("unit_id"),
            c.status == word(states.RUNNING),
            c.attempts == bindparam("attempt"),
        )
        .values(**{name: bindparam(name) for name in ("status", *RESULT, "worktree_path")}),
    ),
    Written(
        "UNITS_OF_STEP",
        select(
            *(c.unit_id, c.phase, c.status, c.attempts, c.input_hash, c.tokens, c.failure_reason),
            *(c.session_id, c.result_json),
        ).where(c.run_id == bindparam("run_id"), c.step_id == bindparam("step_id")),
        "StepUnit",
    ),
    Written(
        "UNITS_OF_RUN",
        select(*shown(c)).where(c.run_id == bindparam("run_id")).order_by(c.run_id, c.unit_id),
        "Unit",
    ),
]
