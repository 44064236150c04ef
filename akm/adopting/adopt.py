"""Taking an akm-cli database over into the open ledger, and the report of what came."""

from __future__ import annotations

from collections import Counter
from typing import Any

from akm.adopting.reading import Reading
from akm.adopting.tally import Tally
from akm.services import adoption
from akm.services.adoption import TABLES, Counts
from akm.store.database import Database
from akm.store.foreign import Foreign, is_known


def adopt(db: Database, source: Foreign, *, at: str, is_dry: bool = False) -> dict[str, Any]:
    """Copy everything usable that the ledger does not have yet, in one transaction.

    Returns {dryRun, source, ledger: {newest, known, unknown}, tables, left, leftCount, runs}. `is_dry` says
    in the report that `db` is a copy which nobody keeps.
    """
    reading = Reading(source)
    counts = adoption.adopt(db, reading.batch(), at=at)
    return {
        "dryRun": is_dry,
        "source": str(source.path),
        "ledger": _ledger(source),
        "tables": {table: _table(table, reading.tally, counts) for table in TABLES},
        "left": [left._asdict() for left in reading.tally.named],
        "leftCount": reading.tally.left.total(),
        "runs": [_with_age(run, counts) for run in reading.shown],
    }


def _ledger(source: Foreign) -> dict[str, Any]:
    known = sum(map(is_known, source.ledger))
    return {"newest": max(source.ledger, default=None), "known": known, "unknown": source.unknown()}


def _table(table: str, tally: Tally, counts: Counts) -> dict[str, int]:
    shown = {
        "found": tally.found[table],
        "copied": counts.copied[table],
        "duplicates": counts.duplicates[table],
        "left": tally.left[table],
    }
    return shown | _if_any(table, folded=tally.folded, reconstructed=tally.made)


def _if_any(table: str, **counters: Counter[str]) -> dict[str, int]:
    return {name: counted[table] for name, counted in counters.items() if counted[table]}


def _with_age(run: dict[str, Any], counts: Counts) -> dict[str, Any]:
    if run["id"] not in counts.outdated:
        return run
    reason = "it was adopted before, and what akm-cli has done with it since is left behind"
    return run | {"continuable": None, "reason": reason}
