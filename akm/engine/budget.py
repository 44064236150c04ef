"""A run's ceilings on dispatches and tokens, counted over all its invocations."""

from __future__ import annotations

from akm.workflow.document import Budget


class Spending:
    """What a run has spent. It is seeded from the journal, so a crash forgets nothing.

    A reclaimed attempt is in the journal already and is not counted again when it is dispatched anew.
    """

    def __init__(self, limits: Budget, *, units: int = 0, tokens: int = 0) -> None:
        self._limits = limits
        self.units = units
        self.tokens = tokens
        self.exceeded: str | None = None

    def admit(self) -> bool:
        """Count one new dispatch if it may happen; otherwise `exceeded` says why not."""
        if self._out_of_tokens():
            return False
        most = self._limits.max_units
        if most is not None and self.units >= most:
            self.exceeded = f"the budget of {most} units is used up (budget.max_units)"
            return False
        self.units += 1
        return True

    def give_back(self, count: int) -> None:
        """Uncount dispatches that were admitted and did not happen."""
        self.units -= count

    def spend(self, tokens: int | None) -> None:
        """Add the tokens of one outcome; reaching the ceiling sets `exceeded`."""
        self.tokens += tokens or 0
        self._out_of_tokens()

    def _out_of_tokens(self) -> bool:
        most = self._limits.max_tokens
        if most is None or self.tokens < most:
            return False
        self.exceeded = self.exceeded or f"the budget of {most} tokens is used up (budget.max_tokens)"
        return True
