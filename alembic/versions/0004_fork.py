"""Where a forked run comes from.

Revision 0004. The columns stand before the long ones, so the table is rebuilt.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

NAMES = ("forked_from_run_id", "forked_from_step_id")


def upgrade() -> None:
    """Add the link; earlier runs are no forks."""
    with op.batch_alter_table("workflow_runs", recreate="always") as table:
        for name in NAMES:
            table.add_column(sa.Column(name, sa.Text(), nullable=True), insert_before="plan_hash")


def downgrade() -> None:
    """Drop the link; forks stay as runs of their own."""
    with op.batch_alter_table("workflow_runs", recreate="always") as table:
        for name in NAMES:
            table.drop_column(name)
