"""The two shapes of a generated statement. `akm/store/sql.py` holds the statements themselves."""

from __future__ import annotations

from typing import Generic, NamedTuple, TypeVar

Row = TypeVar("Row", bound=tuple)  # type: ignore[type-arg]


class Query(NamedTuple, Generic[Row]):
    """A statement that returns rows of the named tuple `row`; `params` are its named parameters in order."""

    text: str
    params: tuple[str, ...]
    row: type[Row]


class Change(NamedTuple):
    """A statement that writes; its result is the number of rows that changed."""

    text: str
    params: tuple[str, ...]
