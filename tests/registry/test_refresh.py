"""Refreshing indexes whatever the age of what is kept of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from searching import URL, Clock, Registries, a_cache, a_source, an_entry, an_index

from akm.registry.outcome import Outcome
from akm.registry.refresh import refresh
from akm.services import registry_cache
from akm.store.opening import open_database

ONE, TWO = a_source("one"), a_source("two")
SKILLS = a_source("skills", url="https://skills.example", provider="skills-sh")


@pytest.fixture
def registries() -> Registries:
    return Registries({URL: an_index(an_entry(), an_entry("Other"))}, etags={URL: '"1"'})


def refreshed(path: Path, registries: Registries, clock: Clock) -> list[Outcome]:
    return refresh((SKILLS, ONE, TWO), open_cache=a_cache(path), now=clock, get=registries.get)


def test_every_index_is_asked_for_and_reported_and_nothing_else(
    db_path: Path, registries: Registries
) -> None:
    outcomes = refreshed(db_path, registries, Clock())
    assert [(one.registry, one.status, one.count) for one in outcomes] == [
        ("one", "fresh", 2),
        ("two", "failed", 0),
    ]
    assert sorted(registries.asked) == [ONE.url, TWO.url]


def test_a_young_index_is_asked_for_all_the_same_on_condition(db_path: Path, registries: Registries) -> None:
    clock = Clock()
    refreshed(db_path, registries, clock)
    clock.passes(seconds=1)
    registries.answers[URL] = "never read, because nothing has changed"
    outcome = refreshed(db_path, registries, clock)[0]
    assert (outcome.status, outcome.count, outcome.fetched_at) == ("fresh", 2, clock())


def test_an_index_that_cannot_be_fetched_stays_as_it_was(db_path: Path, registries: Registries) -> None:
    clock = Clock()
    refreshed(db_path, registries, clock)
    clock.passes(seconds=60)
    registries.answers = {}
    outcome = refreshed(db_path, registries, clock)[0]
    assert (outcome.status, outcome.age_seconds, outcome.count) == ("stale", 60, 2)
    assert str(outcome.reason).startswith(f"fetch failed ({URL} is down); serving the last cached index")


def test_a_damaged_cached_index_is_put_right(db_path: Path, registries: Registries) -> None:
    with open_database(db_path, synchronous="normal") as db:
        registry_cache.put(db, URL, at=Clock()(), index_json="{", etag='"1"')
    assert refreshed(db_path, registries, Clock())[0].status == "fresh"
