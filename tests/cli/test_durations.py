"""Durations and moments on the command line."""

from __future__ import annotations

import pytest

from akm.cli.durations import age, milliseconds, moment
from akm.errors import UsageError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("500", 500),
        ("500ms", 500),
        ("90s", 90_000),
        ("10m", 600_000),
        (" 1S ", 1000),
        ("2147483647", 2_147_483_647),
    ],
)
def test_a_timeout_is_read(text: str, expected: int) -> None:
    assert milliseconds(text, "--timeout") == expected


@pytest.mark.parametrize(
    "text", ["", "0", "-1s", "1h", "1.5s", "soon", "2147483648", "99999999999", "1 s", "１s"]
)
def test_what_is_no_timeout_is_refused_naming_the_flag(text: str) -> None:
    with pytest.raises(UsageError, match="--timeout needs a time"):
        milliseconds(text, "--timeout")


def test_an_age_is_counted_from_now() -> None:
    assert moment("1h", "--since", 7200.0) == "1970-01-01T01:00:00.000Z"
    assert moment("1d", "--since", 7200.0) == "1970-01-01T00:00:00.000Z"


def test_a_number_is_milliseconds_since_the_epoch_and_never_a_time_without_its_unit() -> None:
    assert moment("1800000000000", "--since", 0.0) == "2027-01-15T08:00:00.000Z"
    assert moment("0", "--since", 0.0) == "1970-01-01T00:00:00.000Z"
    for text in ("5", "90", "1800000000"):
        with pytest.raises(UsageError, match="--older-than needs a time"):
            moment(text, "--older-than", 0.0)


@pytest.mark.parametrize("text", ["", "yesterday", "1w", "-1h", "2026-13-01", "12:00", "１h"])
def test_what_is_no_moment_is_refused_naming_the_flag(text: str) -> None:
    with pytest.raises(UsageError, match="--since needs a time"):
        moment(text, "--since", 0.0)


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (None, "now"),
        (0.9, "now"),
        (1, "1 s"),
        (59.9, "59 s"),
        (60, "1 min"),
        (3 * 3600 + 1, "3 h"),
        (86_400, "1 d"),
        (400 * 86_400.0, "400 d"),
    ],
)
def test_an_age_is_written_in_its_largest_unit(seconds: float | None, expected: str) -> None:
    assert age(seconds) == expected
