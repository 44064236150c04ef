"""Comparing a file with the newest schema: tables, indexes, constraints and the order of columns."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

from akm.store import sql
from akm.store.connect import connect, translated

# What SQLite and Alembic keep for themselves.
_OWN = ("alembic_version", "sqlite_sequence")
Parts = dict[tuple[str, str], list[str]]


def first(path: Path) -> str | None:
    """Say in one sentence where the file first differs from the newest schema; None when nowhere."""
    with translated(path), closing(connect(path, read_only=True)) as found:
        actual = parts(found)
    with closing(sqlite3.connect(":memory:")) as fresh:
        for statement in sql.SCHEMA:
            fresh.execute(statement)
        expected = parts(fresh)
    for kind, name in sorted(expected.keys() | actual.keys()):
        difference = _difference(expected.get((kind, name)), actual.get((kind, name)))
        if difference is not None:
            return f"{kind} {name} {difference}"
    return None


def parts(connection: sqlite3.Connection) -> Parts:
    """Read what a file is made of: by kind and name, the parts of the statement that made it."""
    found = connection.execute("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    return {(kind, name): _parts(text) for kind, name, text in found if name not in _OWN}


def _difference(expected: list[str] | None, actual: list[str] | None) -> str | None:
    if expected is None:
        return "is not known to this akm"
    if actual is None:
        return "is missing"
    lacks = [part for part in expected if part not in actual]
    if lacks:
        return f"lacks {lacks[0]!r}"
    return None if expected == actual else "has its columns in another order, or more of them"


def _parts(text: str) -> list[str]:
    """Split a statement at its outer commas, columns in their order and constraints sorted behind them.

    Quotes and blanks say nothing: SQLite writes more of them when it has rebuilt a table.
    """
    found, depth = [""], 0
    for char in re.sub(r'["\s]+', " ", text):
        depth += (char == "(") - (char == ")")
        is_outer = (char == "," and depth == 1) or (char == "(" and depth == 1) or (char == ")" and not depth)
        if is_outer:
            found.append("")
        else:
            found[-1] += char
    tidy = [re.sub(r" ?([(),]) ?", r"\1", part).strip() for part in found]
    return sorted(tidy, key=lambda part: part if _is_constraint(part) else "")


def _is_constraint(part: str) -> bool:
    return part.startswith(("CONSTRAINT ", "PRIMARY KEY", "FOREIGN KEY", "UNIQUE", "CHECK"))
