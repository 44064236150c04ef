"""What a step back to an older revision would take from the rows: counted before it and after it."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from akm.spelling import counted

# What Alembic and SQLite keep for themselves.
_OWN = ("alembic_version", "sqlite_sequence")


class Holding(NamedTuple):
    """A table's rows, and for each of its columns how many of them hold a value."""

    rows: int
    values: dict[str, int]


Holdings = dict[str, Holding]


def count(connection: sqlite3.Connection) -> Holdings:
    """Count the rows of every table and the values of every column."""
    found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    return {name: _holding(connection, name) for (name,) in found if name not in _OWN}


def between(before: Holdings, after: Holdings) -> list[str]:
    """Name what is there no more, such as `events (2 rows)` or `workflow_run_units.cost (1 value)`."""
    return [lost for table, held in before.items() for lost in _of(table, held, after.get(table))]


def _holding(connection: sqlite3.Connection, table: str) -> Holding:
    columns = [str(column[1]) for column in connection.execute(f'PRAGMA table_info("{table}")')]
    counted = ", ".join(f'count("{name}")' for name in columns)
    rows, *values = connection.execute(f'SELECT count(*), {counted} FROM "{table}"').fetchone()
    return Holding(rows, dict(zip(columns, values, strict=True)))


def _of(table: str, held: Holding, left: Holding | None) -> list[str]:
    rows = held.rows - (left.rows if left else 0)
    if rows > 0:
        return [f"{table} ({counted(rows, 'row')})"]
    kept = left.values if left else {}
    return [
        f"{table}.{column} ({counted(lost, 'value')})"
        for column, number in held.values.items()
        if (lost := number - kept.get(column, 0)) > 0
    ]
