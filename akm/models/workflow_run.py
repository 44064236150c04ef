"""Runs and the steps of their spine.

Columns that hold long JSON stand last: SQLite reads a row from its front and leaves the overflow pages of
a column alone when nothing behind it is asked for, so listings never load a plan or a result.
"""

from __future__ import annotations

from sqlalchemy import Column, ForeignKey, Index, Text
from sqlmodel import Field, SQLModel

from akm import states
from akm.models.columns import number, one_of, text


class WorkflowRun(SQLModel, table=True):
    """One run of one frozen workflow."""

    __tablename__ = "workflow_runs"
    __table_args__ = (
        one_of("status", states.RUN),
        Index("idx_workflow_runs_ref", "workflow_ref"),
        Index("idx_workflow_runs_status", "status"),
        Index("idx_workflow_runs_scope_ref_status", "scope_key", "workflow_ref", "status"),
        Index("idx_workflow_runs_scope_updated", "scope_key", "updated_at", "created_at"),
        Index("idx_workflow_runs_updated", "updated_at", "created_at"),
        Index("idx_workflow_runs_agent_session", "agent_harness", "agent_session_id"),
        Index("idx_workflow_runs_parent", "parent_run_id"),
        Index(
            "idx_workflow_runs_invocation_key",
            "parent_run_id",
            "invocation_key",
            unique=True,
            sqlite_where=Column("parent_run_id", Text).is_not(None),
        ),
    )

    id: str = text(primary_key=True)
    workflow_ref: str = text()
    workflow_entry_id: int | None = number(default=None)
    workflow_title: str = text()
    status: str = text()
    current_step_id: str | None = text(default=None)
    created_at: str = text()
    updated_at: str = text()
    completed_at: str | None = text(default=None)
    scope_key: str | None = text(default=None)
    agent_harness: str | None = text(default=None)
    agent_session_id: str | None = text(default=None)
    parent_run_id: str | None = text(default=None)
    parent_unit_id: str | None = text(default=None)
    invocation_key: str | None = text(default=None)
    forked_from_run_id: str | None = text(default=None)
    forked_from_step_id: str | None = text(default=None)
    plan_hash: str | None = text(default=None)
    plan_ir_version: int | None = number(default=None)
    # Written by akm-cli only; read when its database is adopted.
    checkin_armed_at: str | None = text(default=None)
    engine_lease_until: str | None = text(default=None)
    engine_lease_holder: str | None = text(default=None)
    params_json: str = text(default="{}", sa_column_kwargs={"server_default": "{}"})
    outputs_json: str | None = text(default=None)
    plan_json: str | None = text(default=None)


class WorkflowRunStep(SQLModel, table=True):
    """One step of a run, in spine order."""

    __tablename__ = "workflow_run_steps"
    __table_args__ = (
        one_of("status", states.STEP),
        Index("idx_workflow_run_steps_run_sequence", "run_id", "sequence_index"),
    )

    run_id: str = Field(
        sa_column=Column(Text, ForeignKey("workflow_runs.id", ondelete="CASCADE"), primary_key=True)
    )
    step_id: str = text(primary_key=True)
    step_title: str = text()
    sequence_index: int = number()
    status: str = text()
    completed_at: str | None = text(default=None)
    instructions: str = text()
    completion_json: str | None = text(default=None)
    notes: str | None = text(default=None)
    summary: str | None = text(default=None)
    evidence_json: str | None = text(default=None)
