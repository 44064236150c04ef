"""Alembic's entry: migrates the connection it is handed, or the database that AKM_DATABASE_URL names.

The models are imported only when Alembic compares them with a database: an upgrade runs the revisions alone.
"""

from __future__ import annotations

import os
from typing import Any

from sqlalchemy import Connection, create_engine, event, pool
from sqlalchemy.types import Text

from alembic import context

COMPARES = {"revision", "check"}


def render_item(kind: str, item: Any, _autogen: Any) -> str | bool:
    """Render SQLModel's own text type as plain Text, so that old revisions need no SQLModel."""
    if kind == "type" and isinstance(item, Text):
        return "sa.Text()"
    return False


def metadata() -> Any:
    """Return the tables of the models; importing them costs half a second, so only on demand."""
    from sqlmodel import SQLModel

    import akm.models

    return akm.models and SQLModel.metadata


def migrate(connection: Connection) -> None:
    """Run the requested command on `connection`, in one transaction."""
    command = getattr(context.config.cmd_opts, "cmd", [None])[0]
    wants_models = getattr(command, "__name__", "") in COMPARES
    context.configure(
        connection=connection,
        target_metadata=metadata() if wants_models else None,
        render_item=render_item,
        transactional_ddl=True,
        render_as_batch=True,
        compare_server_default=True,
    )
    with context.begin_transaction():
        context.run_migrations()


def connect_and_migrate() -> None:
    """Open the database of AKM_DATABASE_URL (or of alembic.ini) and migrate it."""
    url = os.environ.get("AKM_DATABASE_URL") or context.config.get_main_option("sqlalchemy.url")
    if not url:
        raise SystemExit("Name the database: AKM_DATABASE_URL=sqlite:///state.db alembic ...")
    engine = create_engine(url, poolclass=pool.NullPool)

    @event.listens_for(engine, "connect")
    def own_transactions(connection: Any, _record: Any) -> None:
        connection.isolation_level = None
        connection.execute("PRAGMA busy_timeout=30000")

    @event.listens_for(engine, "begin")
    def immediate(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    with engine.connect() as connection:
        migrate(connection)
        connection.commit()


handed_in = context.config.attributes.get("connection")
if handed_in is None:
    connect_and_migrate()
else:
    migrate(handed_in)
