"""What attempts and units cost, in the money of `[prices]`.

Revision 0003. A plain addition would put the column behind the results, so both tables are rebuilt.
"""

from __future__ import annotations

import sqlalchemy as sa

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

TABLES = ("workflow_run_unit_attempts", "workflow_run_units")


def upgrade() -> None:
    """Add `cost` before the results; nothing is known of what earlier attempts cost."""
    for name in TABLES:
        with op.batch_alter_table(name, recreate="always") as table:
            table.add_column(sa.Column("cost", sa.REAL(), nullable=True), insert_before="result_json")


def downgrade() -> None:
    """Drop `cost`; what had been spent in money is forgotten, tokens stay."""
    for name in TABLES:
        with op.batch_alter_table(name, recreate="always") as table:
            table.drop_column("cost")
