"""Copies of the migrations to which a test adds a revision of its own."""

from __future__ import annotations

import shutil
from pathlib import Path

from akm.store import schema, sql

#: A revision such as SQLite needs for most changes: it rebuilds a parent table, and moves rows.
REBUILD = """
    with op.batch_alter_table("workflow_runs") as batch:
        batch.add_column(sa.Column("colour", sa.Text(), nullable=False, server_default="red"))
        batch.drop_column("checkin_armed_at")
    op.execute("UPDATE events SET event_type = event_type || '2'")
    op.create_index("idx_workflow_runs_colour", "workflow_runs", ["colour"])
"""

_MODULE = '''"""A revision of a test."""

import sqlalchemy as sa

from alembic import op

revision = "{revision}"
down_revision = "{below}"


def upgrade() -> None:
    {body}


def downgrade() -> None:
    pass
'''


def with_revision(folder: Path, body: str, *, revision: str = "0999") -> Path:
    """Copy the migrations into `folder` and add a newest one that does `body`."""
    copy = Path(
        shutil.copytree(schema.script_location(), folder, ignore=shutil.ignore_patterns("__pycache__"))
    )
    text = _MODULE.format(revision=revision, below=sql.REVISIONS[-1], body=body.strip())
    (copy / "versions" / f"{revision}_of_a_test.py").write_text(text)
    return copy
