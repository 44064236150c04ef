"""How asking one registry ended, which is told for every registry that was asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from akm.errors import AkmError
from akm.registry import urls
from akm.registry.answer import Answer
from akm.registry.source import Source


@dataclass(frozen=True, slots=True)
class Outcome:
    """One registry's end: its answer is new, kept, kept too long but all there is, or there is none.

    `url` is without credentials. `count` is how many hits it gave. `age_seconds` is None for a new answer,
    `reason` for one that nothing is wrong with. `error` is the failure. `note` says what was left out of the
    answer.
    """

    registry: str
    url: str
    status: Literal["fresh", "cached", "stale", "failed"]
    count: int = 0
    age_seconds: float | None = None
    fetched_at: str | None = None
    reason: str | None = None
    note: str | None = None
    error: AkmError | None = None

    @property
    def code(self) -> str | None:
        """Return the error's code; None where there is no error."""
        return (self.error.code or "INTERNAL") if self.error else None

    @property
    def warning(self) -> str | None:
        """Return what a person should be told; None when all is well."""
        said = "; ".join(text.rstrip(".") for text in (self.reason, self.note) if text)
        return f"Registry {self.registry} ({self.url}): {said}." if said else None

    def as_json(self) -> dict[str, Any]:
        """Return the outcome's JSON; what there is not is left out."""
        found = {
            "registry": self.registry,
            "url": self.url,
            "status": self.status,
            "count": self.count,
            "ageSeconds": self.age_seconds,
            "fetchedAt": self.fetched_at,
            "reason": self.reason,
            "code": self.code,
            "hint": self.error and self.error.hint,
            "note": self.note,
        }
        return {key: value for key, value in found.items() if value is not None}


def answered(source: Source, answer: Answer[Any], *, count: int, note: str | None = None) -> Outcome:
    """Tell of an answer, new or kept."""
    return Outcome(
        source.name,
        urls.shown(source.url),
        answer.outcome,
        count,
        answer.age_seconds,
        answer.fetched_at,
        reason=answer.warning,
        note=note,
    )


def failed(source: Source, error: Exception) -> Outcome:
    """Tell of a registry without an answer. Errors that are not akm's own are its provider's bugs."""
    known = error if isinstance(error, AkmError) else AkmError(f"its provider failed: {error!r}")
    return Outcome(
        source.name,
        urls.shown(source.url),
        "failed",
        reason=urls.redacted(known.message),
        error=known,
    )


def failure(outcomes: Sequence[Outcome]) -> AkmError | None:
    """Return the first failure when every registry failed; None when any answered or none was asked."""
    if any(one.error is None for one in outcomes):
        return None
    return outcomes[0].error if outcomes else None


def warnings(outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    """Return one sentence for each registry that a person should know something about."""
    return tuple(one.warning for one in outcomes if one.warning)
