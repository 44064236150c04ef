"""One value inside a stored plan, together with the path that names it in messages.

Required parts are asked for and refused with their path when they are missing; optional ones fall back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from sys import float_info
from typing import Any


class PlanUndecodable(ValueError):
    """The stored plan cannot be read; the message begins with the field that is at fault."""


@dataclass(frozen=True, slots=True)
class Field:
    """A value and its path, such as `steps[0].root.frozenTarget`; `""` is the plan itself."""

    value: Any
    path: str = ""

    def fail(self, reason: str) -> PlanUndecodable:
        """Build the error that names this field."""
        return PlanUndecodable(f"{self.path or 'the plan'}: {reason}")

    def has(self, key: str) -> bool:
        """Tell whether this mapping holds something other than null under `key`."""
        return self.mapping().get(key) is not None

    def get(self, key: str) -> Field:
        """Return what stands under `key`, None included."""
        return Field(self.mapping().get(key), f"{self.path}.{key}" if self.path else key)

    def mapping(self) -> Mapping[str, Any]:
        """Require an object."""
        if not isinstance(self.value, dict):
            raise self.fail("is missing" if self.value is None else "is not an object")
        return self.value

    def items(self) -> list[Field]:
        """Require a list."""
        if not isinstance(self.value, list):
            raise self.fail("is missing" if self.value is None else "is not a list")
        return [Field(value, f"{self.path}[{position}]") for position, value in enumerate(self.value)]

    def text(self) -> str:
        """Require non-empty text."""
        if not isinstance(self.value, str) or not self.value:
            raise self.fail("is missing" if self.value is None else "is not text")
        return self.value

    def texts(self) -> tuple[str, ...]:
        """Return the non-empty texts of a list, and nothing when there is no list."""
        if not isinstance(self.value, list):
            return ()
        return tuple(text for text in self.value if isinstance(text, str) and text)

    def text_or(self, fallback: str) -> str:
        """Return the text, or `fallback` when there is none."""
        return self.value if isinstance(self.value, str) else fallback

    def optional_text(self) -> str | None:
        """Return non-empty text, or None."""
        return self.value if isinstance(self.value, str) and self.value else None

    def optional_mapping(self) -> Mapping[str, Any] | None:
        """Return the object, or None when there is none."""
        return self.value if isinstance(self.value, dict) else None

    def count_or(self, fallback: int | None, *, least: int = 1) -> int | None:
        """Return a whole number of at least `least`, or `fallback`."""
        is_count = isinstance(self.value, int) and not isinstance(self.value, bool) and self.value >= least
        return self.value if is_count else fallback

    def amount(self) -> float | None:
        """Return a finite number of 0 or more, or None."""
        is_number = isinstance(self.value, int | float) and not isinstance(self.value, bool)
        return float(self.value) if is_number and 0 <= self.value <= float_info.max else None
