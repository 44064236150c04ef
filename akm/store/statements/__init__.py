"""Every statement of the store as a SQLAlchemy Core construct over the models, one module per noun.

Only `make sql` imports these: it compiles them into `akm/store/sql.py`, which is all that runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, bindparam, case, func, literal_column
from sqlalchemy.sql.base import Executable

from akm import states


@dataclass(frozen=True)
class Written:
    """A named statement. `row` names the generated row type; None for one that returns nothing."""

    name: str
    construct: Executable
    row: str | None = None


def word(text: str) -> ColumnElement[str]:
    """Write a state or another fixed word into the statement itself, so that indexes and readers see it."""
    return literal_column(f"'{text}'")


def fixed(number: int) -> ColumnElement[int]:
    """Write a number into the statement itself."""
    return literal_column(str(number))


def shown(columns: Any) -> list[ColumnElement[Any]]:
    """List a table's columns for readers: of results only what failed units and judges said is ever read."""
    is_told = (columns.status == word(states.FAILED)) | (columns.phase == word("gate"))
    report = case((is_told, columns.result_json)).label("result_json")
    return [report if column.name == "result_json" else column for column in columns]


def at_most(rows: Any, limit: ColumnElement[int], offset: ColumnElement[int] | None = None) -> Any:
    """Limit a select; SQLite's dialect binds an offset of its own when none is given."""
    return rows.limit(limit).offset(fixed(0) if offset is None else offset)


def in_bundle(ref: ColumnElement[Any]) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    """Match the refs of one bundle, exact in case, by the range from `first` to below `end`."""
    return ref >= bindparam("first"), ref < bindparam("end")


def moved(ref: ColumnElement[Any]) -> ColumnElement[str]:
    """Write a ref with the bundle `new` before its `tail`, which is a position in characters."""
    return bindparam("new").op("||")(func.substr(ref, bindparam("tail")))
