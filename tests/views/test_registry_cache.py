"""Reading the registry cache: which age is a hit, and what is listed."""

from __future__ import annotations

import math

import pytest
from builders import AT, later, rows

from akm.services import registry_cache
from akm.store.database import Database
from akm.views import registry_cache as views

URL = "https://registry.example/index.json"
HOUR_MS = 3_600_000


def keep(db: Database, fetched_at: str, key: str = URL, index_json: str = "{}") -> None:
    registry_cache.put(db, key, at=fetched_at, index_json=index_json, etag='"1"')


@pytest.mark.parametrize(
    ("fetched_at", "max_age_ms", "is_hit"),
    [
        (AT, HOUR_MS, True),
        (later(-3599.999), HOUR_MS, True),
        (later(-3600), HOUR_MS, True),
        (later(-3600.001), HOUR_MS, False),
        (later(86_400), HOUR_MS, True),
        (later(86_400), 0, True),
        (AT, 0, True),
        (later(-0.001), 0, False),
        (later(-86_400 * 3650), math.inf, True),
        ("yesterday", HOUR_MS, False),
        ("yesterday", math.inf, False),
        ("", math.inf, False),
        (later(86_400), -math.inf, False),
    ],
)
def test_an_age_of_exactly_the_limit_is_a_hit_and_so_is_the_future(
    db: Database, fetched_at: str, max_age_ms: float, is_hit: bool
) -> None:
    keep(db, fetched_at)
    found = views.get(db, URL, at=AT, max_age_ms=max_age_ms)
    assert (found is not None) == is_hit


def test_no_millisecond_of_a_day_is_lost_to_rounding(db: Database) -> None:
    for millis in range(0, 86_400_000, 999_983):
        keep(db, later(-millis / 1000))
        found = views.get(db, URL, at=AT)
        assert found is not None
        assert found.age_ms == millis


def test_the_times_of_other_programs_are_understood(db: Database) -> None:
    keep(db, later(-60).replace("Z", "+00:00"))
    found = views.get(db, URL, at=AT)
    assert found is not None
    assert found.age_ms == 60_000


def test_what_is_found_is_whole_and_of_this_key_alone(db: Database) -> None:
    keep(db, AT, "another", '["another"]')
    assert views.get(db, URL, at=AT) is None
    keep(db, later(-5), index_json='["mine"]')
    assert views.get(db, URL, at=AT) == (URL, later(-5), '"1"', None, '["mine"]', 5000)


def test_what_is_kept_is_listed_newest_first_without_its_body(db: Database) -> None:
    keep(db, later(-7200.5), "old", '["ä"]')
    keep(db, later(60), "from the future")
    keep(db, "  not a time", "undated")
    found = views.entries(db, at=AT)
    assert [(one["key"], one["ageSeconds"]) for one in found] == [
        ("from the future", 0),
        ("old", 7200),
        ("undated", None),
    ]
    assert found[1] == {
        "key": "old",
        "fetchedAt": later(-7200.5),
        "ageSeconds": 7200,
        "etag": '"1"',
        "lastModified": None,
        "size": 6,
    }


def test_reading_writes_nothing(db: Database) -> None:
    keep(db, "yesterday")
    before = db.connection.total_changes
    views.get(db, URL, at=AT)
    views.entries(db, at=AT)
    assert db.connection.total_changes == before
    assert len(rows(db, "SELECT 1 FROM registry_index_cache")) == 1
