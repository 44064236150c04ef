"""What a run has spent, for people: a line, and tables by step and by model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from akm.cli.tables import Table
from akm.spelling import counted

_SPENT = ("attempts", "tokens", "cost")


def line(usage: dict[str, Any]) -> str:
    """Say what a run has spent; money only where something is known of it."""
    parts = [counted(usage["dispatches"], "dispatch", "dispatches")]
    if usage["gates"]:
        parts.append(counted(usage["gates"], "gate call"))
    parts.append(counted(usage["tokens"], "token"))
    if usage["cost"] is not None:
        parts.append(f"cost {money(usage['cost'])}")
    return ", ".join(parts)


def tables(usage: dict[str, Any]) -> Iterator[str | Table]:
    """Render what was spent by step, and by model where an engine did anything."""
    for name, keys, columns in (
        ("bySteps", ("stepId",), ("step",)),
        ("byModels", ("engine", "model"), ("engine", "model")),
    ):
        if usage[name]:
            yield ""
            yield Table((*columns, *_SPENT), [_row(row, keys) for row in usage[name]])


def money(cost: float | None) -> str | None:
    """Write an amount with four decimals, and a smaller one as just that; None when it is not known."""
    if cost is None:
        return None
    return "<0.0001" if 0 < cost < 0.0001 else f"{cost:.4f}"


def _row(row: dict[str, Any], keys: tuple[str, ...]) -> tuple[object, ...]:
    return (*(row[key] for key in keys), row["attempts"], row["tokens"], money(row["cost"]))
