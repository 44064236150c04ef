"""How a unit ended, in the one form that both a live dispatch and a stored row give."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from akm.workflow.hashing import canonical

CLIP = 2000
_PARTIAL_OUTPUT = "\n--- partial output ---\n"


@dataclass(frozen=True, slots=True)
class UnitResult:
    """A unit's end. Success: `has_result` with `result`, or `text`, or neither, which is no output at all.

    Failure: `failure_reason` is a word of the failure vocabulary; `diagnostic` and `text` are for people.
    """

    unit_id: str
    ok: bool
    text: str | None = None
    result: Any = None
    has_result: bool = False
    failure_reason: str | None = None
    diagnostic: str | None = None

    @property
    def value(self) -> Any:
        """Return what the unit contributes to its step; None when it failed or printed nothing."""
        if not self.ok:
            return None
        return self.result if self.has_result else self.text or None

    @property
    def has_value(self) -> bool:
        """Tell whether a successful unit had any output."""
        return self.ok and (self.has_result or bool(self.text))

    @property
    def account(self) -> str | None:
        """Return what a person reads about a failure: diagnostic and partial output, clipped."""
        parts = [part for part in (self.diagnostic, self.text) if part]
        return clip(_PARTIAL_OUTPUT.join(parts)) if parts else None


def clip(text: str, limit: int = CLIP) -> str:
    """Cut text after `limit` characters and mark the cut with an ellipsis."""
    return text if len(text) <= limit else text[:limit] + "…"


def journal_text(result: UnitResult) -> str | None:
    """Write a unit's end as the JSON that its row keeps; None when there is nothing to keep.

    Raises ValueError when a result is no JSON.
    """
    if not result.ok:
        account = result.account
        return None if account is None else canonical(account)
    return canonical(result.value) if result.has_value else None


def rehydrate(
    status: str, result_json: str | None, has_schema: bool, failure_reason: str | None, unit_id: str
) -> UnitResult:
    """Rebuild a unit's end from its row. Raises ValueError, naming the unit, when its JSON is damaged."""
    try:
        kept = None if result_json is None else json.loads(result_json)
    except (ValueError, RecursionError):
        raise ValueError(f'the stored result of unit "{unit_id}" is not JSON') from None
    if status != "completed":
        text = kept if isinstance(kept, str) else None
        return UnitResult(unit_id, False, text=text, failure_reason=failure_reason)
    if result_json is None:
        return UnitResult(unit_id, True)
    if isinstance(kept, str) and not has_schema:
        return UnitResult(unit_id, True, text=kept)
    return UnitResult(unit_id, True, result=kept, has_result=True)
