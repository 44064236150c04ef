"""The two shapes of a generated statement. `akm/store/sql.py` holds the statements themselves.

Callers name their parameters; SQLite gets them by position, because finding a name costs it more than
the value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import Any, Generic, TypeVar

Row = TypeVar("Row", bound=tuple)  # type: ignore[type-arg]
Value = str | int | float | None


class Change:
    """A statement that writes; its result is the number of rows that changed.

    `params` names the parameters in the order of the text's question marks; a name may come twice.
    """

    __slots__ = ("params", "pick", "text")

    def __init__(self, text: str, params: tuple[str, ...]) -> None:
        self.text = text
        self.params = params
        self.pick = _picker(params)


class Query(Change, Generic[Row]):
    """A statement that returns rows of the named tuple `row`."""

    __slots__ = ("row",)

    def __init__(self, text: str, params: tuple[str, ...], row: type[Row]) -> None:
        super().__init__(text, params)
        self.row = row


def _picker(params: tuple[str, ...]) -> Callable[[Mapping[str, Value]], Any]:
    """Return what puts named values into the order of the text."""
    if len(params) > 1:
        return itemgetter(*params)
    return (lambda named: (named[params[0]],)) if params else (lambda _named: ())
