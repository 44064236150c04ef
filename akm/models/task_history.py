"""Task history: one row per attempt to run a task. An open row has no `completed_at`."""

from __future__ import annotations

from sqlalchemy import Index
from sqlmodel import SQLModel

from akm.models.columns import number, text


class TaskHistory(SQLModel, table=True):
    """One attempt of one task, identified by `task_id` and its start time.

    `bundle` tells tasks of one id apart; rows that akm-cli wrote have none.
    """

    __tablename__ = "task_history"
    __table_args__ = (
        Index("idx_task_history_run", "task_id", "started_at", unique=True),
        Index("idx_task_history_task_id", "task_id"),
        Index("idx_task_history_started", "started_at"),
        Index("idx_task_history_target", "target_kind", "target_ref"),
        Index("idx_task_history_status", "status"),
        Index("idx_task_history_bundle", "bundle"),
        {"sqlite_autoincrement": True},
    )

    id: int | None = number(default=None, primary_key=True)
    task_id: str = text()
    status: str = text()
    started_at: str = text()
    completed_at: str | None = text(default=None)
    failed_at: str | None = text(default=None)
    log_path: str | None = text(default=None)
    target_kind: str | None = text(default=None)
    target_ref: str | None = text(default=None)
    metadata_json: str = text(default="{}", sa_column_kwargs={"server_default": "{}"})
    bundle: str | None = text(default=None)
