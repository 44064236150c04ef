"""Whether the rows of a run's units say what its journal of attempts says, before they are in a ledger."""

from __future__ import annotations

from collections.abc import Sequence

from akm import states
from akm.store import sql
from akm.store.run_rows import RunRows

_SHARED = tuple(name for name in sql.WholeUnit._fields if name in sql.WholeAttempt._fields)


def contradiction(rows: RunRows) -> str | None:
    """Name the first unit or attempt that the other ones contradict, such as `units[3]`; None for none."""
    latest = _latest(rows.attempts)
    for index, unit in enumerate(rows.units):
        if not _agrees(unit, latest.get(unit.unit_id)):
            return f"units[{index}]"
    known = {unit.unit_id for unit in rows.units}
    lonely = (index for index, attempt in enumerate(rows.attempts) if attempt.unit_id not in known)
    return next((f"attempts[{index}]" for index in lonely), None)


def _latest(attempts: Sequence[sql.WholeAttempt]) -> dict[str, sql.WholeAttempt]:
    return {attempt.unit_id: attempt for attempt in sorted(attempts, key=lambda one: one.attempt)}


def _agrees(unit: sql.WholeUnit, attempt: sql.WholeAttempt | None) -> bool:
    if attempt is None:
        # What was never dispatched may be listed all the same.
        return unit.status == states.PENDING
    if unit.attempts != attempt.attempt:
        return False
    return all(getattr(unit, name) == getattr(attempt, name) for name in _SHARED)
