"""Writing the registry cache: replaced whole, renewed in its time alone, cleared as asked."""

from __future__ import annotations

from typing import Any

import pytest
from builders import AT, later, row, rows

from akm.services import registry_cache
from akm.store.database import Database

URL = "https://registry.example/index.json"
KEPT: dict[str, Any] = {
    "index_json": '["old"]',
    "etag": '"1"',
    "last_modified": "Wed, 02 Dec 2026 08:00:00 GMT",
}


def keep(db: Database, key: str = URL) -> None:
    registry_cache.put(db, key, at=AT, **KEPT)


def test_an_answer_takes_the_place_of_the_one_before_in_all_its_values(db: Database) -> None:
    keep(db)
    registry_cache.put(db, URL, at=later(1), index_json='["new"]')
    assert row(db, "SELECT * FROM registry_index_cache") == {
        "registry_url": URL,
        "fetched_at": later(1),
        "etag": None,
        "last_modified": None,
        "index_json": '["new"]',
    }


@pytest.mark.parametrize("body", ["", " \n"])
def test_an_empty_body_is_never_kept(db: Database, body: str) -> None:
    keep(db)
    with pytest.raises(ValueError, match="empty"):
        registry_cache.put(db, URL, at=later(1), index_json=body)
    assert row(db, "SELECT index_json FROM registry_index_cache") == {"index_json": '["old"]'}


def test_a_renewed_answer_keeps_body_and_validators(db: Database) -> None:
    keep(db)
    assert registry_cache.renew(db, URL, seen=AT, at=later(9))
    assert row(db, "SELECT * FROM registry_index_cache") == {
        "registry_url": URL,
        "fetched_at": later(9),
        **KEPT,
    }


def test_only_the_answer_that_was_seen_is_renewed(db: Database) -> None:
    assert not registry_cache.renew(db, URL, seen=AT, at=later(9))
    keep(db)
    assert not registry_cache.renew(db, URL, seen=later(1), at=later(9))
    assert row(db, "SELECT fetched_at FROM registry_index_cache") == {"fetched_at": AT}


def test_one_answer_or_all_are_cleared_and_counted(db: Database) -> None:
    for key in (URL, URL.upper(), "skills-sh:1"):
        keep(db, key)
    assert registry_cache.clear(db, key="unknown") == 0
    assert registry_cache.clear(db, key=URL) == 1
    assert registry_cache.clear(db, key=URL) == 0
    assert registry_cache.clear(db) == 2
    assert rows(db, "SELECT 1 FROM registry_index_cache") == []
