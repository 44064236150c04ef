"""A run's ceilings on dispatches, tokens and money, counted over all its invocations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import inf, isclose

from akm.engine.runners.base import Outcome
from akm.store.sql import Accounting
from akm.workflow.parsing.document import Budget
from akm.workflow.plan import CommandTarget, Plan, Target
from akm.workflow.prices import Price


class Spending:
    """What a run has spent. It is seeded from the journal, so a crash forgets nothing.

    A reclaimed attempt is in the journal already and is not counted again when it is dispatched anew.
    """

    def __init__(
        self,
        limits: Budget,
        *,
        prices: Mapping[str, Price] | None = None,
        units: int = 0,
        tokens: int = 0,
        cost: float = 0.0,
    ) -> None:
        self._limits = limits
        self._prices = prices or {}
        self.units = units
        self.tokens = tokens
        self.cost = cost
        self.exceeded: str | None = None

    @classmethod
    def of(cls, plan: Plan, spent: Accounting) -> Spending:
        """Seed from the journal: units and tokens without the judges' share, the money with it."""
        return cls(
            plan.budget,
            prices=plan.prices,
            units=spent.dispatches,
            tokens=spent.dispatch_tokens,
            cost=spent.cost or 0.0,
        )

    def admit(self, *, is_new: bool = True) -> bool:
        """Count one dispatch if it may happen; otherwise `exceeded` says why not.

        One that is not new is counted already, and only needs tokens and money to be left.
        """
        self.exceeded = self._no_tokens() or self.no_money() or (self._no_units() if is_new else None)
        if self.exceeded is not None:
            return False
        self.units += is_new
        return True

    def give_back(self, count: int) -> None:
        """Uncount dispatches that were admitted and did not happen."""
        self.units -= count

    def priced(self, outcome: Outcome, target: Target) -> Outcome:
        """Return an outcome with what it cost: as reported, else by the plan's price, else None."""
        reported = outcome.cost
        # A report that is no amount is none.
        if reported is not None and 0 <= reported < inf:
            return outcome
        cost = None
        if isinstance(target, CommandTarget) and (price := self._prices.get(target.request.get("model", ""))):
            cost = price.of(outcome.tokens, outcome.input_tokens, outcome.output_tokens)
        return outcome if cost is reported else replace(outcome, cost=cost)

    def spend(self, tokens: int | None, cost: float | None) -> None:
        """Add the tokens and the money of one outcome; reaching a ceiling sets `exceeded`."""
        self.tokens += tokens or 0
        self.cost += cost or 0.0
        self.exceeded = self.exceeded or self._no_tokens() or self.no_money()

    def no_money(self) -> str | None:
        """Say why nothing may cost money any more; None while some is left, and without a ceiling."""
        most = self._limits.max_cost
        # Close is reached, because sums of such numbers are a hair off: ten times 0.1 is less than 1.
        if most is None or (self.cost < most and not isclose(self.cost, most)):
            return None
        return f"the budget of {most:g} in money is used up (budget.max_cost)"

    def _no_tokens(self) -> str | None:
        most = self._limits.max_tokens
        if most is None or self.tokens < most:
            return None
        return f"the budget of {most} tokens is used up (budget.max_tokens)"

    def _no_units(self) -> str | None:
        most = self._limits.max_units
        if most is None or self.units < most:
            return None
        return f"the budget of {most} units is used up (budget.max_units)"
