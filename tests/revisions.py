"""Copies of the migrations to which a test adds a revision of its own, and files full at any revision."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
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


def filled(path: Path, revision: str) -> Path:
    """Make a file at `revision` in which every column of every table holds a value, in three rows each."""
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("PRAGMA journal_mode=WAL")
    if revision == "base":
        return path
    schema.upgrade(path, revision)
    with closing(sqlite3.connect(path)) as raw, raw:
        names = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        for (table,) in raw.execute(names).fetchall():
            if table != "alembic_version":
                _fill(raw, table)
    return path


def _fill(raw: sqlite3.Connection, table: str) -> None:
    columns = [(str(row[1]), str(row[2])) for row in raw.execute(f"PRAGMA table_info({table})")]
    marks = ", ".join("?" * len(columns))
    for number in (1, 2, 3):
        values = [_value(table, name, kind, number) for name, kind in columns]
        raw.execute(f"INSERT INTO {table} VALUES ({marks})", values)


def _value(table: str, name: str, kind: str, number: int) -> object:
    known = {"status": "completed", "phase": "unit", "run_id": f"run-{number}"}
    if (table, name) == ("workflow_runs", "id"):
        return f"run-{number}"
    by_kind = {"INTEGER": number, "REAL": number + 0.5}
    return known.get(name, by_kind.get(kind, f"{name} {number}"))
