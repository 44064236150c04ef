"""Units and their attempts: the append-only journal of dispatches, and the projection of its latest rows.

Result columns stand last, so that counting attempts, tokens and money never reads a result.
"""

from __future__ import annotations

from sqlalchemy import CheckConstraint, Column, ForeignKey, Index, Text
from sqlmodel import Field, SQLModel

from akm import states
from akm.models.columns import money, number, one_of, text


class WorkflowRunUnit(SQLModel, table=True):
    """The latest attempt of one unit: a projection, rebuilt from the journal when in doubt."""

    __tablename__ = "workflow_run_units"
    __table_args__ = (
        one_of("status", states.UNIT),
        one_of("phase", states.PHASE),
        Index("idx_workflow_run_units_run_step", "run_id", "step_id"),
    )

    run_id: str = Field(
        sa_column=Column(Text, ForeignKey("workflow_runs.id", ondelete="CASCADE"), primary_key=True)
    )
    unit_id: str = text(primary_key=True)
    step_id: str | None = text(default=None)
    node_id: str = text()
    parent_unit_id: str | None = text(default=None)
    phase: str | None = text(default=None)
    runner: str | None = text(default=None)
    model: str | None = text(default=None)
    engine: str | None = text(default=None)
    status: str = text()
    attempts: int = number(default=1, sa_column_kwargs={"server_default": "1"})
    input_hash: str | None = text(default=None)
    tokens: int | None = number(default=None)
    failure_reason: str | None = text(default=None)
    worktree_path: str | None = text(default=None)
    started_at: str | None = text(default=None)
    finished_at: str | None = text(default=None)
    session_id: str | None = text(default=None)
    # Written by akm-cli only; read when its database is adopted.
    last_checkin_at: str | None = text(default=None)
    claim_holder: str | None = text(default=None)
    claim_expires_at: str | None = text(default=None)
    cost: float | None = money(default=None)
    result_json: str | None = text(default=None)


class WorkflowRunUnitAttempt(SQLModel, table=True):
    """One dispatch of a unit or of a gate's judge: reserved before it happens, finished exactly once."""

    __tablename__ = "workflow_run_unit_attempts"
    __table_args__ = (
        CheckConstraint("attempt >= 1", name="attempt_counts_from_one"),
        one_of("phase", states.PHASE),
        one_of("status", states.ATTEMPT),
        Index("idx_workflow_run_unit_attempts_dispatch", "dispatch_id", unique=True),
        Index("idx_workflow_run_unit_attempts_run_step", "run_id", "step_id", "unit_id", "attempt"),
        Index("idx_workflow_run_unit_attempts_running_claim", "run_id", "status", "claim_expires_at"),
    )

    run_id: str = Field(
        sa_column=Column(Text, ForeignKey("workflow_runs.id", ondelete="CASCADE"), primary_key=True)
    )
    unit_id: str = text(primary_key=True)
    attempt: int = number(primary_key=True)
    dispatch_id: str = text()
    step_id: str = text()
    node_id: str = text()
    phase: str = text()
    runner: str | None = text(default=None)
    engine: str | None = text(default=None)
    model: str | None = text(default=None)
    input_hash: str = text()
    status: str = text()
    failure_reason: str | None = text(default=None)
    tokens: int | None = number(default=None)
    session_id: str | None = text(default=None)
    worktree_path: str | None = text(default=None)
    started_at: str = text()
    finished_at: str | None = text(default=None)
    claim_holder: str = text()
    claim_expires_at: str = text()
    cost: float | None = money(default=None)
    result_json: str | None = text(default=None)
