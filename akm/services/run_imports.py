"""Taking over runs that another ledger has exported."""

from __future__ import annotations

from collections.abc import Sequence

from akm.errors import UsageError
from akm.store import run_rows
from akm.store.database import Database
from akm.store.run_rows import RunRows

__all__ = ["RunRows", "admit"]


def admit(db: Database, found: Sequence[RunRows]) -> bool:
    """Insert a run and its children as they are; False when all of it is here already, row by row.

    The first of `found` is the run at the top. Raises UsageError RESOURCE_ALREADY_EXISTS when a run of its id
    is here and differs, or another row has a key of one of these; nothing is written then.
    """
    top = found[0].run.id
    with db.immediate() as tx:
        known = run_rows.tree(tx, top)
        if known == list(found):
            return False
        if known:
            raise UsageError(
                f"Run {top} is in this ledger already and has gone another way than the one in the file.",
                code="RESOURCE_ALREADY_EXISTS",
                hint=f"Compare them with `akm workflow status {top} --attempts`.",
            )
        for rows in found:
            if not run_rows.insert(tx, rows):
                raise UsageError(
                    f"Run {rows.run.id} cannot be taken over, because one of its rows has the key of a row "
                    "that belongs to another run of this ledger.",
                    code="RESOURCE_ALREADY_EXISTS",
                )
        return True
