"""What tokens cost by a model's price."""

from __future__ import annotations

import pytest

from akm.workflow.prices import Price

PRICE = Price(input=0.5, output=2.0)
MILLION = 1_000_000


@pytest.mark.parametrize(
    ("tokens", "read", "written", "cost"),
    [
        (3 * MILLION, 2 * MILLION, MILLION, 3.0),
        (None, 2 * MILLION, MILLION, 3.0),
        (0, 0, 0, 0.0),
        (MILLION, None, None, 2.0),
        (MILLION, MILLION, None, 2.0),
        (None, MILLION, None, None),
        (None, None, None, None),
    ],
)
def test_parts_are_charged_apart_and_a_mere_sum_at_the_dearer_price(
    tokens: int | None, read: int | None, written: int | None, cost: float | None
) -> None:
    assert PRICE.of(tokens, read, written) == cost
    if read is None:
        assert Price(input=2.0, output=0.5).of(tokens, read, written) == cost
