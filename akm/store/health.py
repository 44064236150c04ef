"""Asking for rows that contradict one another, and making the rows of units from the journal."""

from __future__ import annotations

from typing import NamedTuple

from akm.store import sql
from akm.store.database import Transaction
from akm.store.statement import Query


class Found(NamedTuple):
    """How many rows a question finds, and the first of them by their keys."""

    total: int
    examples: tuple[str, ...]


def ask(tx: Transaction, question: Query[sql.Example], examples: int) -> Found:
    """Ask a question that names the first rows and counts them all."""
    rows = tx.all(question, limit=examples)
    return Found(rows[0].total if rows else 0, tuple(str(row.example) for row in rows))


def spines(tx: Transaction) -> list[sql.Spine]:
    """Read every run with its steps in order; a run without steps comes once, without a step."""
    return tx.all(sql.RUNS_WITH_SPINE)


def drop_stray_units(tx: Transaction) -> int:
    """Delete the dispatched units that have no attempt, and return how many."""
    return tx.run(sql.UNITS_DROP_STRAY)


def project_units(tx: Transaction) -> int:
    """Write every unit as its latest attempt says, and return how many rows were not so."""
    return tx.run(sql.UNITS_PROJECT)
