"""Schedules: which expressions are taken, and when they fire, also where the clock changes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from akm.errors import UsageError
from akm.tasks import schedule

BERLIN = ZoneInfo("Europe/Berlin")


@pytest.fixture
def in_berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def texts(fires: list[datetime]) -> list[str]:
    return [fire.isoformat(timespec="minutes") for fire in fires]


@pytest.mark.parametrize(
    ("written", "checked"),
    [
        ("*/15 * * * *", "*/15 * * * *"),
        ("  5\t4 * *  * ", "5 4 * * *"),
        ("30,0,30 1,2 1-15/2 jan,MAR *", "0,30 1,2 1-15/2 1,3 *"),
        ("0 9 * * MON-FRI", "0 9 * * 1-5"),
        ("0 9 * DEC sat", "0 9 * 12 6"),
        ("*/60 */24 */31 */12 *", "*/60 */24 */31 */12 *"),
        ("0 0 * * */7", "0 0 * * */7"),
        ("0 0 29 2 *", "0 0 29 2 *"),
        ("@Daily", "@daily"),
        ("@REBOOT", "@reboot"),
    ],
)
def test_the_supported_subset_is_taken(written: str, checked: str) -> None:
    assert schedule.check(written) == checked


@pytest.mark.parametrize(
    "written",
    [
        "60 * * * *",
        "* 24 * * *",
        "* * 0 * *",
        "* * 32 * *",
        "* * * 13 *",
        "* * * 0 *",
        "* * * * 7",
        "* * * * 0-7",
        "*/0 * * * *",
        "*/61 * * * *",
        "* * * * */8",
        "5/10 * * * *",
        "1-5,7 * * * *",
        "5-1 * * * *",
        "0-10/0 * * * *",
        "* * * * FRI-MON",
        "* * * * MON-SUN",
        "* * L * *",
        "* * 15W * *",
        "* * ? * *",
        "* * * * 5L",
        "* * * * 1#2",
        "1,,2 * * * *",
        "1, * * * *",
        "-1 * * * *",
        "JAN * * * *",
        "0 0 13 * FRI",
        "0 0 */2 * 1",
        "0 0 30 2 *",
        "0 0 31 4,6 *",
        "* * * *",
        "* * * * * *",
        "@fortnightly",
        "@daily 5",
        "every day",
        "٣ * * * *",
    ],
)
def test_anything_else_is_refused_with_what_is_supported(written: str) -> None:
    with pytest.raises(UsageError) as refused:
        schedule.check(written)
    assert refused.value.code == "INVALID_FLAG_VALUE"
    assert refused.value.hint == schedule.SUBSET
    assert written not in refused.value.message


@pytest.mark.parametrize("written", ["", " \t"])
def test_a_blank_schedule_is_a_missing_argument(written: str) -> None:
    with pytest.raises(UsageError) as refused:
        schedule.check(written)
    assert refused.value.code == "MISSING_REQUIRED_ARGUMENT"


def test_a_time_in_the_gap_fires_once_right_after_it() -> None:
    after = datetime(2026, 3, 28, 12, tzinfo=BERLIN)
    assert texts(schedule.next_fires("30 2 * * *", after, 3, zone=BERLIN)) == [
        "2026-03-29T03:00+02:00",
        "2026-03-30T02:30+02:00",
        "2026-03-31T02:30+02:00",
    ]


def test_a_time_that_comes_twice_fires_once() -> None:
    after = datetime(2026, 10, 24, 12, tzinfo=BERLIN)
    assert texts(schedule.next_fires("30 2 * * *", after, 2, zone=BERLIN)) == [
        "2026-10-25T02:30+02:00",
        "2026-10-26T02:30+01:00",
    ]


def test_between_the_two_equal_times_the_next_fire_is_tomorrows() -> None:
    after = datetime(2026, 10, 25, 2, 15, tzinfo=BERLIN, fold=1)
    assert texts(schedule.next_fires("30 2 * * *", after, 1, zone=BERLIN)) == ["2026-10-26T02:30+01:00"]


def test_what_fires_every_hour_follows_the_time_that_passes() -> None:
    spring = datetime(2026, 3, 29, 0, 30, tzinfo=BERLIN)
    assert texts(schedule.next_fires("0 * * * *", spring, 3, zone=BERLIN)) == [
        "2026-03-29T01:00+01:00",
        "2026-03-29T03:00+02:00",
        "2026-03-29T04:00+02:00",
    ]
    autumn = datetime(2026, 10, 25, 1, 30, tzinfo=BERLIN)
    assert texts(schedule.next_fires("0 * * * *", autumn, 3, zone=BERLIN)) == [
        "2026-10-25T02:00+02:00",
        "2026-10-25T02:00+01:00",
        "2026-10-25T03:00+01:00",
    ]


@pytest.mark.usefixtures("in_berlin")
@pytest.mark.parametrize("expression", ["30 2 * * *", "0 * * * *", "*/20 2 * * *", "@weekly"])
@pytest.mark.parametrize("month", [3, 10])
def test_the_machines_own_zone_changes_as_the_named_one(expression: str, month: int) -> None:
    after = datetime(2026, month, 24, tzinfo=UTC)
    local = schedule.next_fires(expression, after, 150)
    named = schedule.next_fires(expression, after, 150, zone=BERLIN)
    assert [fire.isoformat() for fire in local] == [fire.isoformat() for fire in named]


def test_fires_of_a_moment_come_after_it() -> None:
    moment = datetime(2026, 5, 1, 10, 0, tzinfo=UTC)
    assert texts(schedule.next_fires("0 10 * * *", moment, 1, zone=UTC)) == ["2026-05-02T10:00+00:00"]
    just_before = moment - timedelta(microseconds=1)
    assert texts(schedule.next_fires("0 10 * * *", just_before, 1, zone=UTC)) == ["2026-05-01T10:00+00:00"]


def test_between_two_moments_the_first_is_left_out_and_the_last_counts() -> None:
    since, until = datetime(2026, 5, 1, tzinfo=UTC), datetime(2026, 5, 3, tzinfo=UTC)
    assert texts(schedule.fires_between("@daily", since, until, zone=UTC)) == [
        "2026-05-02T00:00+00:00",
        "2026-05-03T00:00+00:00",
    ]
    assert schedule.fires_between("@daily", until, since, zone=UTC) == []


def test_reboot_has_no_next_fire() -> None:
    now = datetime(2026, 5, 1, tzinfo=UTC)
    assert schedule.next_fires("@reboot", now, 5) == []
    assert schedule.fires_between("@reboot", now, now + timedelta(days=400)) == []


def test_aliases_fire_as_their_five_fields() -> None:
    now = datetime(2026, 5, 1, 12, tzinfo=UTC)
    for alias, five in schedule.ALIASES.items():
        assert schedule.next_fires(alias, now, 2, zone=UTC) == schedule.next_fires(five, now, 2, zone=UTC)
