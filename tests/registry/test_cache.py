"""The cache as something that may be missing: files that are no use, newer, read-only or held by others."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from builders import AT, later
from lookups import Lookup, body, fetched, keep, kept

from akm import config
from akm.errors import AkmError, ConfigError, TransientError
from akm.registry import cache
from akm.registry.answer import NOT_MODIFIED
from akm.registry.cached_fetch import Answer
from akm.store.connect import connect, translate
from akm.store.database import Database
from akm.views import registry_cache

EXPIRED = later(-3600)
FRESH = Answer("fetched", "fresh", None, None, AT)


def a_directory(path: Path) -> None:
    path.mkdir()


def some_text(path: Path) -> None:
    path.write_text("Dear diary, this is no database." * 40)


def of_another_program(path: Path) -> None:
    raw = sqlite3.connect(path)
    raw.execute("CREATE TABLE theirs (value)")
    raw.close()


@pytest.mark.parametrize("make", [a_directory, some_text, of_another_program])
def test_a_file_that_is_no_use_is_no_cache_and_stays_as_it_is(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    path = tmp_path / "state.db"
    make(path)
    before = path.read_bytes() if path.is_file() else b""
    with cache.opened(config.Database(path, "full")) as db:
        assert db is None
    assert Lookup(path, [fetched()])() == FRESH
    assert (path.read_bytes() if path.is_file() else b"") == before


def test_a_missing_file_is_made(tmp_path: Path) -> None:
    path = tmp_path / "data" / "state.db"
    assert Lookup(path, [fetched()])() == FRESH
    assert [row["index_json"] for row in kept(path)] == [fetched().cache_json]
    assert Lookup(path, [])().outcome == "cached"


def test_the_connection_is_closed_and_waits_a_moment_only(db_path: Path) -> None:
    with cache.opened(config.Database(db_path, "full")) as db:
        assert db is not None
        assert db.connection.execute("PRAGMA busy_timeout").fetchone() == (250,)
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        db.connection.execute("SELECT 1")


def test_a_write_that_others_hold_up_is_let_go(db: Database) -> None:
    rival = sqlite3.connect(db.path, isolation_level=None)
    rival.execute("BEGIN IMMEDIATE")
    assert Lookup(db.path, [fetched()])() == FRESH
    rival.execute("ROLLBACK")
    rival.close()
    assert kept(db.path) == []


@pytest.mark.parametrize("reply", [fetched(), NOT_MODIFIED], ids=["changed", "unchanged"])
def test_a_newer_akms_file_is_read_and_not_written(db: Database, reply: object) -> None:
    keep(db, EXPIRED, body())
    db.connection.execute("UPDATE alembic_version SET version_num = '9999'")
    db.close()
    before = kept(db.path)
    assert Lookup(db.path, [], ttl_ms=3_600_000)().outcome == "cached"
    assert Lookup(db.path, [reply])().outcome == "fresh"  # type: ignore[list-item]
    assert Lookup(db.path, [TimeoutError("Down.")])().outcome == "stale"
    assert kept(db.path) == before


class ReadOnly(Lookup):
    """A look-up for which the file is read-only, which no mode of a file is to root."""

    @contextmanager
    def open_cache(self) -> Iterator[Database]:
        with Database(connect(self.path, read_only=True), self.path) as db:
            yield db


def test_a_read_only_file_is_read_and_not_written(db: Database) -> None:
    keep(db, EXPIRED, body())
    assert ReadOnly(db.path, [fetched()])() == FRESH
    assert ReadOnly(db.path, [NOT_MODIFIED])().value == "kept"
    assert ReadOnly(db.path, [TimeoutError("Down.")])().outcome == "stale"
    assert [row["fetched_at"] for row in kept(db.path)] == [EXPIRED]


def test_a_file_that_refuses_every_write_still_answers(db: Database) -> None:
    keep(db, EXPIRED, body())
    db.connection.execute(
        "CREATE TRIGGER refuse BEFORE UPDATE ON registry_index_cache BEGIN SELECT RAISE(ABORT, 'no'); END"
    )
    assert Lookup(db.path, [fetched()])() == FRESH
    assert Lookup(db.path, [NOT_MODIFIED])().value == "kept"
    assert [row["fetched_at"] for row in kept(db.path)] == [EXPIRED]


@pytest.mark.parametrize(
    ("code", "error"),
    [(sqlite3.SQLITE_CORRUPT, ConfigError), (sqlite3.SQLITE_FULL, TransientError), (1, AkmError)],
)
def test_what_the_database_does_is_tolerated(tmp_path: Path, code: int, error: type[AkmError]) -> None:
    driver = sqlite3.OperationalError("words")
    driver.sqlite_errorcode = code
    with cache.tolerated():
        raise driver
    with cache.tolerated():
        raised = translate(driver, tmp_path)
        assert type(raised) is error
        raise raised from driver


def test_our_own_mistakes_come_through(db: Database) -> None:
    with pytest.raises(AkmError, match="inside another one"), cache.tolerated(), db.read(), db.read():
        pass
    db.close()
    with pytest.raises(AkmError, match="ProgrammingError"), cache.tolerated():
        registry_cache.get(db, "key", at=AT)
    with pytest.raises(KeyError), cache.tolerated():
        raise KeyError
    with pytest.raises(ValueError, match="isoformat"), cache.tolerated():
        raise ValueError("isoformat")


def test_an_error_of_the_block_closes_the_connection_and_goes_on(db_path: Path) -> None:
    opened: list[Database | None] = []

    def fail() -> None:
        with cache.opened(config.Database(db_path, "full")) as db:
            opened.append(db)
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    (db,) = opened
    assert db is not None
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        db.connection.execute("SELECT 1")
