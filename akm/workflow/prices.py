"""What a model's tokens cost. Which models a plan needs prices for is in `freeze_prices`."""

from __future__ import annotations

from typing import NamedTuple

_MILLION = 1_000_000


class Price(NamedTuple):
    """Money per million tokens, in whatever currency the configuration means."""

    input: float
    output: float

    def of(self, tokens: int | None, input_tokens: int | None, output_tokens: int | None) -> float | None:
        """Return what tokens cost; None when their number is not known.

        Without the two parts every token is charged at the dearer of both prices: too much is found out
        early, too little never.
        """
        if input_tokens is not None and output_tokens is not None:
            return (self.input * input_tokens + self.output * output_tokens) / _MILLION
        return None if tokens is None else max(self) * tokens / _MILLION
