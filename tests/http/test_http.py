"""Deadlines, waits and bodies of exchanges over HTTP, with clocks that stand still."""

from __future__ import annotations

import math

import pytest

from akm.http import body
from akm.http.deadline import Deadline
from akm.http.retries import wait_seconds


def test_deadline_shortens_waits_and_then_ends_them() -> None:
    now = [100.0]
    deadline = Deadline.after(5, lambda: now[0])
    assert (deadline.left(), deadline.at_most(3), deadline.at_most(9)) == (5, 3, 5)
    now[0] = 105.0
    assert deadline.left() == 0
    with pytest.raises(TimeoutError):
        deadline.at_most(1)


def test_deadline_of_none_never_comes() -> None:
    deadline = Deadline.after(None, lambda: 1e12)
    assert (deadline.left(), deadline.at_most(7)) == (math.inf, 7)


@pytest.mark.parametrize(
    ("attempt", "asked", "random", "expected"),
    [
        (0, None, 1.0, 0.5),
        (0, None, 0.0, 0.25),
        (3, None, 1.0, 4.0),
        (99, None, 1.0, 30.0),
        (0, "3", 1.0, 3.0),
        (0, "9" * 5000, 1.0, 30.0),
        (0, "-3", 1.0, 0.5),
        (0, "Thu, 01 Jan 1970 00:00:12 GMT", 1.0, 2.0),
        (0, "Thu, 01 Jan 1970 00:00:01 GMT", 1.0, 0.0),
        (0, "tomorrow", 1.0, 0.5),
    ],
)
def test_wait_is_what_the_server_asks_for_or_doubles(
    attempt: int, asked: str | None, random: float, expected: float
) -> None:
    assert wait_seconds(attempt, asked, wall_clock=lambda: 10.0, random=lambda: random) == expected


def test_body_is_joined_within_its_limit() -> None:
    assert body.read([b"ab", b"cd"], 4) == b"abcd"
    with pytest.raises(body.TooMuch):
        body.read([b"ab", b"cde"], 4)


def test_body_ends_at_its_mark_even_when_that_comes_in_pieces() -> None:
    def chunks() -> object:
        yield b"data END"
        yield b"ED rest"
        raise AssertionError("read on behind the mark")

    assert body.read(chunks(), 100, end=b"ENDED") == b"data ENDED rest"  # type: ignore[arg-type]
