"""Timestamps."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from akm import clock

SHAPE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\Z")
# From 1970 to the end of the year 9999.
MILLISECONDS = st.integers(0, 253_402_300_799_999)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "1970-01-01T00:00:00.000Z"),
        (1_800_000_000.125, "2027-01-15T08:00:00.125Z"),
        (951_827_696.5, "2000-02-29T12:34:56.500Z"),
        (0.9996, "1970-01-01T00:00:00.999Z"),
    ],
)
def test_a_stamp_is_utc_with_three_digits_and_z(seconds: float, text: str) -> None:
    assert clock.stamp(seconds) == text


def test_the_zone_of_the_machine_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "Pacific/Auckland")
        time.tzset()
        told = clock.stamp(0), clock.seconds("1970-01-01T00:00:00")
    time.tzset()
    assert told == ("1970-01-01T00:00:00.000Z", 0)


def test_now_lies_between_before_and_after() -> None:
    before, now, after = clock.stamp(time.time()), clock.now(), clock.stamp(time.time())
    assert SHAPE.match(now)
    assert before <= now <= after


@example(1001)
@given(MILLISECONDS)
def test_a_stamp_reads_back_as_the_moment_it_names(milliseconds: int) -> None:
    text = clock.stamp(milliseconds / 1000)
    assert SHAPE.match(text)
    assert round(clock.seconds(text) * 1000) == milliseconds
    assert clock.stamp(clock.seconds(text)) == text


@given(MILLISECONDS, MILLISECONDS)
def test_texts_compare_as_times_do(one: int, other: int) -> None:
    assert (clock.stamp(one / 1000) < clock.stamp(other / 1000)) == (one < other)


@pytest.mark.parametrize("text", ["", "yesterday", "2026-13-01T00:00:00.000Z", "12345"])
def test_what_is_no_timestamp_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        clock.seconds(text)
