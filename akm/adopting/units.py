"""Rows of units and attempts. Older databases have units alone, a repeated attempt as a unit of its own.

Attempts are the truth here, and a unit shows its latest one. So the attempts that are missing are made from
the units, and then each unit from its attempts.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from akm import states
from akm.adopting import fields
from akm.adopting.fields import Found, Reader, Unusable
from akm.services.adoption import Row
from akm.store.statement import Value

_REPEATED: Final = re.compile(r"(.+)~r(\d{1,9})\Z", re.DOTALL)
#: Who held a claim that names nobody.
HOLDER: Final = "akm-cli"
_SPACE: Final = uuid.UUID("6f1d8f0e-3c0b-5c52-9a39-5f2a4e0a7c11")
_COMMON: Final[dict[str, Reader]] = {
    "run_id": fields.identifier,
    "unit_id": fields.identifier,
    "node_id": fields.identifier,
    "runner": fields.text,
    "engine": fields.text,
    "model": fields.text,
    "tokens": fields.number,
    "failure_reason": fields.text,
    "session_id": fields.text,
    "worktree_path": fields.text,
    "finished_at": fields.maybe_moment,
    "cost": fields.amount,
    "result_json": fields.json_text,
}
UNIT: Final[dict[str, Reader]] = _COMMON | {
    "step_id": fields.none_or(fields.identifier),
    "parent_unit_id": fields.text,
    "phase": fields.none_or(fields.one_of(states.PHASE)),
    "status": fields.one_of(states.UNIT),
    "input_hash": fields.text,
    "started_at": fields.maybe_moment,
    "last_checkin_at": fields.text,
    "attempts": fields.none_or(fields.count),
    "claim_holder": fields.text,
    "claim_expires_at": fields.text,
}
ATTEMPT: Final[dict[str, Reader]] = _COMMON | {
    "attempt": fields.count,
    "dispatch_id": fields.identifier,
    "step_id": fields.identifier,
    "phase": fields.one_of(states.PHASE),
    "input_hash": fields.needed,
    "status": fields.one_of(states.ATTEMPT),
    "started_at": fields.moment,
    "claim_holder": fields.needed,
    "claim_expires_at": fields.needed,
}
# What a unit's row says for itself and no attempt does.
_OWN: Final = ("parent_unit_id", "last_checkin_at")


@dataclass(slots=True)
class _Member:
    """One stored unit id: its row, if any, and its attempts by number."""

    unit: Row | None = None
    attempts: dict[int, Row] = field(default_factory=dict)


def unit(found: Found) -> Row:
    """Read a unit's row. Raises Unusable, also for one that was never dispatched."""
    row = fields.mapped(found, UNIT)
    if row["status"] == states.PENDING:
        raise Unusable("it was never dispatched")
    return row


def attempt(found: Found) -> Row:
    """Read an attempt's row. Raises Unusable."""
    return fields.mapped(found, ATTEMPT)


def folded(run: Row, units: Iterable[Row], attempts: Iterable[Row]) -> tuple[list[Row], list[Row]]:
    """Return a run's units, one per unit, and all their attempts, in order."""
    families: dict[str, dict[int, _Member]] = {}
    for row in units:
        _member(families, row).unit = row
    for row in attempts:
        _member(families, row).attempts[int(row["attempt"] or 1)] = row
    journal = {name: _journal(run, name, members) for name, members in families.items()}
    projected = [_projected(rows[-1], families[name]) for name, rows in journal.items()]
    return projected, [row for rows in journal.values() for row in rows]


def _member(families: dict[str, dict[int, _Member]], row: Row) -> _Member:
    stored = str(row["unit_id"])
    repeated = _REPEATED.match(stored)
    name, repeat = (repeated[1], int(repeated[2])) if repeated else (stored, 0)
    return families.setdefault(name, {}).setdefault(repeat, _Member())


def _journal(run: Row, name: str, members: Mapping[int, _Member]) -> list[Row]:
    """List the attempts of one unit; those of each repeat are numbered on from the one before."""
    journal: list[Row] = []
    for _repeat, member in sorted(members.items()):
        known = dict(member.attempts)
        if member.unit is not None:
            known.setdefault(int(member.unit["attempts"] or 1), member.unit)
        before = int(journal[-1]["attempt"] or 0) if journal else 0
        for number, row in sorted(known.items()):
            is_whole = "dispatch_id" in row
            made = dict(row) if is_whole else _reconstructed(run, row)
            made |= {"unit_id": name, "attempt": before + number}
            if not is_whole:
                made["dispatch_id"] = _dispatch_id(run, name, before + number)
            journal.append(made)
    return journal


def _reconstructed(run: Row, row: Row) -> dict[str, Value]:
    node = str(row["node_id"])
    started_at = row["started_at"] or row["finished_at"] or run["created_at"]
    return {
        **{name: row[name] for name in _COMMON},
        "step_id": row["step_id"] or node.partition(".")[0],
        "phase": row["phase"] or ("gate" if node.endswith(".gate") else "unit"),
        "input_hash": row["input_hash"] or "",
        "status": row["status"],
        "started_at": started_at,
        "claim_holder": row["claim_holder"] or HOLDER,
        "claim_expires_at": row["claim_expires_at"] or started_at,
    }


def _dispatch_id(run: Row, name: str, number: int) -> str:
    # Always the same for the same attempt, so that a row made twice is one.
    return str(uuid.uuid5(_SPACE, f"{run['id']}\0{name}\0{number}"))


def _projected(latest: Row, members: Mapping[int, _Member]) -> Row:
    known = [member.unit for _repeat, member in sorted(members.items()) if member.unit is not None]
    is_mapped = latest["node_id"] == f"{latest['step_id']}.unit"
    own: dict[str, Value] = {"parent_unit_id": f"{latest['step_id']}.map" if is_mapped else None}
    own["last_checkin_at"] = None
    if known:
        own = {name: known[-1][name] for name in _OWN}
    shown = {name: value for name, value in latest.items() if name not in ("attempt", "dispatch_id")}
    return {**shown, **own, "attempts": latest["attempt"]}
