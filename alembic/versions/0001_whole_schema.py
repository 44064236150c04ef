"""The whole schema: runs, steps, units, attempts, events, task history, registry cache.

Revision 0001, the first one.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create every table."""
    create_events()
    create_registry_index_cache()
    create_task_history()
    create_workflow_runs()
    create_workflow_run_steps()
    create_workflow_run_unit_attempts()
    create_workflow_run_units()


def downgrade() -> None:
    """Drop every table, the referring ones first."""
    op.drop_table("workflow_run_units")
    op.drop_table("workflow_run_unit_attempts")
    op.drop_table("workflow_run_steps")
    op.drop_table("workflow_runs")
    op.drop_table("task_history")
    op.drop_table("registry_index_cache")
    op.drop_table("events")


def create_events() -> None:
    """Create `events` with its indexes."""
    op.create_table(
        "events",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("event_type", sa.Text(), nullable=False),
        sa.Column("ts", sa.Text(), nullable=False),
        sa.Column("ref", sa.Text(), nullable=True),
        sa.Column("idempotency_key", sa.Text(), nullable=True),
        sa.Column("metadata_json", sa.Text(), server_default="{}", nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "idx_events_idempotency_key",
        "events",
        ["idempotency_key"],
        unique=True,
        sqlite_where=sa.text("idempotency_key IS NOT NULL"),
    )
    op.create_index("idx_events_ref", "events", ["ref"], unique=False)
    op.create_index("idx_events_ts", "events", ["ts"], unique=False)
    op.create_index("idx_events_type", "events", ["event_type"], unique=False)


def create_registry_index_cache() -> None:
    """Create `registry_index_cache` with its indexes."""
    op.create_table(
        "registry_index_cache",
        sa.Column("registry_url", sa.Text(), nullable=False),
        sa.Column("fetched_at", sa.Text(), nullable=False),
        sa.Column("etag", sa.Text(), nullable=True),
        sa.Column("last_modified", sa.Text(), nullable=True),
        sa.Column("index_json", sa.Text(), server_default="{}", nullable=False),
        sa.PrimaryKeyConstraint("registry_url"),
    )
    op.create_index("idx_registry_cache_fetched", "registry_index_cache", ["fetched_at"], unique=False)


def create_task_history() -> None:
    """Create `task_history` with its indexes."""
    op.create_table(
        "task_history",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("task_id", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("started_at", sa.Text(), nullable=False),
        sa.Column("completed_at", sa.Text(), nullable=True),
        sa.Column("failed_at", sa.Text(), nullable=True),
        sa.Column("log_path", sa.Text(), nullable=True),
        sa.Column("target_kind", sa.Text(), nullable=True),
        sa.Column("target_ref", sa.Text(), nullable=True),
        sa.Column("metadata_json", sa.Text(), server_default="{}", nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index("idx_task_history_run", "task_history", ["task_id", "started_at"], unique=True)
    op.create_index("idx_task_history_started", "task_history", ["started_at"], unique=False)
    op.create_index("idx_task_history_status", "task_history", ["status"], unique=False)
    op.create_index("idx_task_history_target", "task_history", ["target_kind", "target_ref"], unique=False)
    op.create_index("idx_task_history_task_id", "task_history", ["task_id"], unique=False)


def create_workflow_runs() -> None:
    """Create `workflow_runs` with its indexes."""
    op.create_table(
        "workflow_runs",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("workflow_ref", sa.Text(), nullable=False),
        sa.Column("workflow_entry_id", sa.Integer(), nullable=True),
        sa.Column("workflow_title", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("current_step_id", sa.Text(), nullable=True),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("updated_at", sa.Text(), nullable=False),
        sa.Column("completed_at", sa.Text(), nullable=True),
        sa.Column("scope_key", sa.Text(), nullable=True),
        sa.Column("agent_harness", sa.Text(), nullable=True),
        sa.Column("agent_session_id", sa.Text(), nullable=True),
        sa.Column("parent_run_id", sa.Text(), nullable=True),
        sa.Column("parent_unit_id", sa.Text(), nullable=True),
        sa.Column("invocation_key", sa.Text(), nullable=True),
        sa.Column("plan_hash", sa.Text(), nullable=True),
        sa.Column("plan_ir_version", sa.Integer(), nullable=True),
        sa.Column("checkin_armed_at", sa.Text(), nullable=True),
        sa.Column("engine_lease_until", sa.Text(), nullable=True),
        sa.Column("engine_lease_holder", sa.Text(), nullable=True),
        sa.Column("params_json", sa.Text(), server_default="{}", nullable=False),
        sa.Column("outputs_json", sa.Text(), nullable=True),
        sa.Column("plan_json", sa.Text(), nullable=True),
        sa.CheckConstraint("status IN ('active', 'completed', 'blocked', 'failed')", name="status_known"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(
        "idx_workflow_runs_agent_session",
        "workflow_runs",
        ["agent_harness", "agent_session_id"],
        unique=False,
    )
    op.create_index(
        "idx_workflow_runs_invocation_key",
        "workflow_runs",
        ["parent_run_id", "invocation_key"],
        unique=True,
        sqlite_where=sa.text("parent_run_id IS NOT NULL"),
    )
    op.create_index("idx_workflow_runs_parent", "workflow_runs", ["parent_run_id"], unique=False)
    op.create_index("idx_workflow_runs_ref", "workflow_runs", ["workflow_ref"], unique=False)
    op.create_index(
        "idx_workflow_runs_scope_ref_status",
        "workflow_runs",
        ["scope_key", "workflow_ref", "status"],
        unique=False,
    )
    op.create_index(
        "idx_workflow_runs_scope_updated",
        "workflow_runs",
        ["scope_key", "updated_at", "created_at"],
        unique=False,
    )
    op.create_index("idx_workflow_runs_status", "workflow_runs", ["status"], unique=False)
    op.create_index("idx_workflow_runs_updated", "workflow_runs", ["updated_at", "created_at"], unique=False)


def create_workflow_run_steps() -> None:
    """Create `workflow_run_steps` with its indexes."""
    op.create_table(
        "workflow_run_steps",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("step_id", sa.Text(), nullable=False),
        sa.Column("step_title", sa.Text(), nullable=False),
        sa.Column("sequence_index", sa.Integer(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("completed_at", sa.Text(), nullable=True),
        sa.Column("instructions", sa.Text(), nullable=False),
        sa.Column("completion_json", sa.Text(), nullable=True),
        sa.Column("notes", sa.Text(), nullable=True),
        sa.Column("summary", sa.Text(), nullable=True),
        sa.Column("evidence_json", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "status IN ('pending', 'completed', 'blocked', 'failed', 'skipped')", name="status_known"
        ),
        sa.ForeignKeyConstraint(["run_id"], ["workflow_runs.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run_id", "step_id"),
    )
    op.create_index(
        "idx_workflow_run_steps_run_sequence",
        "workflow_run_steps",
        ["run_id", "sequence_index"],
        unique=False,
    )


def create_workflow_run_unit_attempts() -> None:
    """Create `workflow_run_unit_attempts` with its indexes."""
    op.create_table(
        "workflow_run_unit_attempts",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("unit_id", sa.Text(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("dispatch_id", sa.Text(), nullable=False),
        sa.Column("step_id", sa.Text(), nullable=False),
        sa.Column("node_id", sa.Text(), nullable=False),
        sa.Column("phase", sa.Text(), nullable=False),
        sa.Column("runner", sa.Text(), nullable=True),
        sa.Column("engine", sa.Text(), nullable=True),
        sa.Column("model", sa.Text(), nullable=True),
        sa.Column("input_hash", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("failure_reason", sa.Text(), nullable=True),
        sa.Column("tokens", sa.Integer(), nullable=True),
        sa.Column("session_id", sa.Text(), nullable=True),
        sa.Column("worktree_path", sa.Text(), nullable=True),
        sa.Column("started_at", sa.Text(), nullable=False),
        sa.Column("finished_at", sa.Text(), nullable=True),
        sa.Column("claim_holder", sa.Text(), nullable=False),
        sa.Column("claim_expires_at", sa.Text(), nullable=False),
        sa.Column("result_json", sa.Text(), nullable=True),
        sa.CheckConstraint("phase IN ('unit', 'gate')", name="phase_known"),
        sa.CheckConstraint("status IN ('running', 'completed', 'failed', 'skipped')", name="status_known"),
        sa.CheckConstraint("attempt >= 1", name="attempt_counts_from_one"),
        sa.ForeignKeyConstraint(["run_id"], ["workflow_runs.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run_id", "unit_id", "attempt"),
    )
    op.create_index(
        "idx_workflow_run_unit_attempts_dispatch", "workflow_run_unit_attempts", ["dispatch_id"], unique=True
    )
    op.create_index(
        "idx_workflow_run_unit_attempts_run_step",
        "workflow_run_unit_attempts",
        ["run_id", "step_id", "unit_id", "attempt"],
        unique=False,
    )
    op.create_index(
        "idx_workflow_run_unit_attempts_running_claim",
        "workflow_run_unit_attempts",
        ["run_id", "status", "claim_expires_at"],
        unique=False,
    )


def create_workflow_run_units() -> None:
    """Create `workflow_run_units` with its indexes."""
    op.create_table(
        "workflow_run_units",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("unit_id", sa.Text(), nullable=False),
        sa.Column("step_id", sa.Text(), nullable=True),
        sa.Column("node_id", sa.Text(), nullable=False),
        sa.Column("parent_unit_id", sa.Text(), nullable=True),
        sa.Column("phase", sa.Text(), nullable=True),
        sa.Column("runner", sa.Text(), nullable=True),
        sa.Column("model", sa.Text(), nullable=True),
        sa.Column("engine", sa.Text(), nullable=True),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), server_default="1", nullable=False),
        sa.Column("input_hash", sa.Text(), nullable=True),
        sa.Column("tokens", sa.Integer(), nullable=True),
        sa.Column("failure_reason", sa.Text(), nullable=True),
        sa.Column("worktree_path", sa.Text(), nullable=True),
        sa.Column("started_at", sa.Text(), nullable=True),
        sa.Column("finished_at", sa.Text(), nullable=True),
        sa.Column("session_id", sa.Text(), nullable=True),
        sa.Column("last_checkin_at", sa.Text(), nullable=True),
        sa.Column("claim_holder", sa.Text(), nullable=True),
        sa.Column("claim_expires_at", sa.Text(), nullable=True),
        sa.Column("result_json", sa.Text(), nullable=True),
        sa.CheckConstraint("phase IN ('unit', 'gate')", name="phase_known"),
        sa.CheckConstraint(
            "status IN ('pending', 'running', 'completed', 'failed', 'skipped')", name="status_known"
        ),
        sa.ForeignKeyConstraint(["run_id"], ["workflow_runs.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run_id", "unit_id"),
    )
    op.create_index(
        "idx_workflow_run_units_run_step", "workflow_run_units", ["run_id", "step_id"], unique=False
    )
