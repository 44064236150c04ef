"""What a run has spent, as a whole, by step and by model."""

from __future__ import annotations

from collections.abc import Iterable
from math import fsum
from typing import Any

from akm.store import attempts, sql, steps
from akm.store.database import Database


def of_run(db: Database, run_id: str) -> dict[str, Any]:
    """Add up a run's journal as {dispatches, gates, tokens, cost, bySteps, byModels}.

    Tokens and cost hold the judges' share. `cost` is null where nothing is known of any; a sum leaves out
    what is not known. Steps come in their order, without those that dispatched nothing; models by name.
    """
    with db.read() as tx:
        by_step = {row.step_id: row for row in attempts.usage_by_step(tx, run_id)}
        by_model = attempts.usage_by_model(tx, run_id)
        order = [one.step_id for one in steps.state_rows(tx, run_id)]
    rows = [by_step.pop(step_id) for step_id in order if step_id in by_step]
    rows += by_step.values()
    return {
        "dispatches": sum(row.dispatches for row in rows),
        "gates": sum(row.gates for row in rows),
        "tokens": sum(row.tokens for row in rows),
        "cost": _total(row.cost for row in rows),
        "bySteps": [_step(row) for row in rows],
        "byModels": [row._asdict() for row in by_model],
    }


def _step(row: sql.StepUsage) -> dict[str, Any]:
    return {
        "stepId": row.step_id,
        "attempts": row.dispatches + row.gates,
        "tokens": row.tokens,
        "cost": row.cost,
    }


def _total(costs: Iterable[float | None]) -> float | None:
    known = [cost for cost in costs if cost is not None]
    return fsum(known) if known else None
