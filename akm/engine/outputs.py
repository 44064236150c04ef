"""The outputs of earlier steps, read from the ledger when a reference asks for them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from akm.errors import UsageError
from akm.store.database import Database
from akm.views import runs

#: Characters of evidence up to which a run's own output is handed around with its result.
SHORT = 64 * 1024


def short_output(db: Database, run_id: str, step_id: str) -> Any:
    """Read a step's output unless it is long; None when it is, or is null, or there is none."""
    text = runs.evidence(db, run_id, step_id)
    if text is None or len(text) > SHORT:
        return None
    return Outputs(db, run_id).get(step_id)


class Outputs(Mapping[str, Any]):
    """Maps a step id to its output, and `<step id>.approval` to the value it was approved with.

    A step without evidence has neither.

    Read from the rows each time, so that a fresh run and a resumed one see the same values.
    """

    def __init__(self, db: Database, run_id: str) -> None:
        self._db = db
        self._run_id = run_id
        self._known: dict[str, Any] = {}

    def __getitem__(self, step_id: str) -> Any:
        if step_id not in self._known:
            self._known[step_id] = self._read(step_id)
        return self._known[step_id]

    def __contains__(self, step_id: object) -> bool:
        try:
            self[str(step_id)]
        except KeyError:
            return False
        return True

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)

    def _read(self, name: str) -> Any:
        # A step's id holds no dot.
        step_id, _, is_approval = name.partition(".")
        text = runs.evidence(self._db, self._run_id, step_id)
        if text is None:
            raise KeyError(step_id)
        try:
            evidence = json.loads(text)
        except (ValueError, RecursionError):
            raise UsageError(
                f"The stored output of step {step_id} in run {self._run_id} is damaged (evidence_json).",
                hint=f"Start afresh: `akm workflow abandon {self._run_id}`, then run the workflow again.",
            ) from None
        if is_approval:
            return _approval(evidence, name)
        return evidence["output"] if isinstance(evidence, dict) and "output" in evidence else evidence


def _approval(evidence: Any, name: str) -> Any:
    approval = evidence.get("approval") if isinstance(evidence, dict) else None
    if not isinstance(approval, dict) or "value" not in approval:
        raise KeyError(name)
    return approval["value"]
