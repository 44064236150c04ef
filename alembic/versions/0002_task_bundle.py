"""Whose task an attempt was of: the name of its bundle, or a project's folder.

Revision 0002.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add `bundle`, which is not known of earlier attempts."""
    op.add_column("task_history", sa.Column("bundle", sa.Text(), nullable=True))
    op.create_index("idx_task_history_bundle", "task_history", ["bundle"], unique=False)


def downgrade() -> None:
    """Drop `bundle`; tasks of one id in two bundles are one again."""
    op.drop_index("idx_task_history_bundle", "task_history")
    op.drop_column("task_history", "bundle")
