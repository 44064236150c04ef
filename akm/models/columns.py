"""Column kinds that the tables share: TEXT and INTEGER, as in the files of akm-cli, and REAL for money."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import REAL, CheckConstraint, Integer, Text
from sqlmodel import Field


def text(**options: Any) -> Any:
    """Declare a TEXT column. Pass `default=None` for one that may be null."""
    return Field(sa_type=Text, **options)


def number(**options: Any) -> Any:
    """Declare an INTEGER column. Pass `default=None` for one that may be null."""
    return Field(sa_type=Integer, **options)


def money(**options: Any) -> Any:
    """Declare a REAL column for an amount of money. Pass `default=None` for one that may be null."""
    return Field(sa_type=REAL, **options)


def one_of(column: str, words: Iterable[str]) -> CheckConstraint:
    """Constrain `column` to `words`; null passes, as SQL has it."""
    listed = ", ".join(f"'{word}'" for word in words)
    return CheckConstraint(f"{column} IN ({listed})", name=f"{column}_known")
