"""The moment at which a transfer must have ended, whatever it is waiting for."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment on the clock `monotonic`, in its seconds."""

    at: float
    monotonic: Callable[[], float]

    @classmethod
    def after(cls, seconds: float | None, monotonic: Callable[[], float]) -> Deadline:
        """Return the deadline that is `seconds` away; None never comes."""
        return cls(math.inf if seconds is None else monotonic() + seconds, monotonic)

    def left(self) -> float:
        """Return the seconds that are left, 0 or less once it has passed."""
        return self.at - self.monotonic()

    def at_most(self, seconds: float) -> float:
        """Return how long one wait of up to `seconds` may take. Raises TimeoutError once it has passed."""
        left = self.left()
        # A timeout of 0 would mean "do not wait" to a socket, and then nothing would ever be late.
        if left <= 0:
            raise TimeoutError("the deadline has passed")
        return min(seconds, left)
