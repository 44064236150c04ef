"""Statements about the steps of a run."""

from __future__ import annotations

from sqlalchemy import bindparam, insert, null, select, update

from akm import states
from akm.models import WorkflowRunStep
from akm.store.statements import Written, word

steps = WorkflowRunStep.__table__  # type: ignore[attr-defined]
c = steps.c
ONE = (c.run_id == bindparam("run_id"), c.step_id == bindparam("step_id"))

BORN = ("step_title", "instructions", "completion_json", "sequence_index")
ENDED = ("status", "notes", "evidence_json", "summary", "completed_at")
COPIED = ("step_id", *BORN, *ENDED)

STATEMENTS = [
    Written(
        "STEPS_COPY",
        insert(steps).from_select(
            ["run_id", *COPIED],
            select(bindparam("run_id"), *(c[name] for name in COPIED)).where(
                c.run_id == bindparam("source_run_id"), c.sequence_index < bindparam("before")
            ),
        ),
    ),
    Written(
        "STEP_INSERT",
        insert(steps).values(
            run_id=bindparam("run_id"),
            step_id=bindparam("step_id"),
            step_title=bindparam("step_title"),
            instructions=bindparam("instructions"),
            completion_json=bindparam("completion_json"),
            sequence_index=bindparam("sequence_index"),
            status=word(states.PENDING),
        ),
    ),
    Written(
        "STEP_STATES",
        select(c.step_id, c.status, c.completed_at)
        .where(c.run_id == bindparam("run_id"))
        .order_by(c.sequence_index),
        "StepStateRow",
    ),
    Written(
        "STEPS_OF_RUN",
        select(*c).where(c.run_id == bindparam("run_id")).order_by(c.sequence_index),
        "Step",
    ),
    Written("STEP_EVIDENCE", select(c.evidence_json).where(*ONE), "StepEvidence"),
    Written(
        "STEP_COMPLETE",
        update(steps)
        .where(*ONE, c.status == word(states.PENDING))
        .values(
            status=bindparam("status"),
            notes=bindparam("notes"),
            evidence_json=bindparam("evidence_json"),
            summary=bindparam("summary"),
            completed_at=bindparam("at"),
        ),
    ),
    Written(
        "STEP_DECIDE",
        update(steps)
        .where(*ONE, c.status == word(states.BLOCKED))
        .values(
            status=bindparam("status"),
            notes=bindparam("notes"),
            evidence_json=bindparam("evidence_json"),
            summary=bindparam("summary"),
            completed_at=bindparam("at"),
        ),
    ),
    Written(
        "STEP_REOPEN",
        update(steps)
        .where(*ONE, c.status.in_([word(states.BLOCKED), word(states.FAILED)]))
        .values(
            status=word(states.PENDING),
            notes=null(),
            evidence_json=null(),
            summary=null(),
            completed_at=null(),
        ),
    ),
]
