"""What a look-up answers, from which the network and the cache are asked in an order that is a promise."""

from __future__ import annotations

import json
import math
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from builders import AT, later
from lookups import KEY, NEW, NOTHING, OLD, RAISES, Damaged, Lookup, Reply, body, fetched, keep, kept

from akm.errors import ResponseError, TransientError
from akm.registry.answer import NOT_MODIFIED, Answer, Fetched
from akm.registry.client import Validators
from akm.store.database import Database

YOUNG, EXPIRED = later(-60), later(-60.001)
DOWN = TransientError("https://u:p@registry.example/index.json did not answer.", code="REGISTRY_UNREACHABLE")
FRESH = Answer("fetched", "fresh", None, None, AT)


def cached(value: Any = "kept") -> Answer[Any]:
    return Answer(value, "cached", 60.0, None, YOUNG)


def stale(value: Any = "kept, stale") -> Answer[Any]:
    warning = (
        "fetch failed (https://registry.example/index.json did not answer); serving the last cached index, "
        "past its refresh interval (fetched 1 minute ago)"
    )
    return Answer(value, "stale", 60.001, warning, EXPIRED)


@dataclass(frozen=True)
class Line:
    """What is kept and what the network does (None: it must not be asked), and what comes of it."""

    at: str | None
    fresh: Any
    stale: Any
    reply: Reply | None
    expected: Answer[Any] | type[Exception]
    is_replaced: bool = False


TABLE = {
    "1 young": Line(YOUNG, "kept", NOTHING, None, cached()),
    "1 young, an empty list": Line(YOUNG, [], NOTHING, None, cached([])),
    "1 young, null": Line(YOUNG, None, NOTHING, None, cached(None)),
    "2 young, no use": Line(YOUNG, NOTHING, "kept, stale", fetched(), FRESH, is_replaced=True),
    "3 young, the parser raises": Line(YOUNG, RAISES, "kept, stale", None, Damaged),
    "4 nothing kept": Line(None, "", "", fetched(), FRESH, is_replaced=True),
    "4 expired": Line(EXPIRED, "kept", "kept, stale", fetched(), FRESH, is_replaced=True),
    "4 undated": Line("yesterday", "kept", "kept, stale", fetched(), FRESH, is_replaced=True),
    "5 young, no use, but when down": Line(YOUNG, NOTHING, "kept, stale", DOWN, cached("kept, stale")),
    "5 the parser raises then": Line(YOUNG, NOTHING, RAISES, DOWN, Damaged),
    "6 expired and down": Line(EXPIRED, "kept", "kept, stale", DOWN, stale()),
    "6 an empty list": Line(EXPIRED, "kept", [], DOWN, stale([])),
    "6 null": Line(EXPIRED, RAISES, None, DOWN, stale(None)),
    "7 nothing kept and down": Line(None, "", "", DOWN, TransientError),
    "7 undated and down": Line("yesterday", "kept", "kept, stale", DOWN, TransientError),
    "7 young, of no use at all": Line(YOUNG, NOTHING, NOTHING, DOWN, TransientError),
    "7 expired, of no use": Line(EXPIRED, "kept", NOTHING, DOWN, TransientError),
    "7 expired, the parser raises": Line(EXPIRED, "kept", RAISES, DOWN, TransientError),
}


@pytest.mark.parametrize("name", TABLE)
def test_the_decision_table_holds_line_by_line(db: Database, name: str) -> None:
    line = TABLE[name]
    if line.at is not None:
        keep(db, line.at, body(line.fresh, line.stale))
    before = kept(db.path)
    lookup = Lookup(db.path, [] if line.reply is None else [line.reply])
    if isinstance(line.expected, Answer):
        assert lookup() == line.expected
    else:
        with pytest.raises(line.expected) as raised:
            lookup()
        # Not a copy and not another one: what the fetch itself raised.
        assert raised.type is Damaged or raised.value is line.reply
    assert len(lookup.asked) == (line.reply is not None)
    assert kept(db.path) == ([a_row(AT, fetched(), NEW)] if line.is_replaced else before)


def a_row(at: str, answer: Fetched[Any], validators: Validators) -> dict[str, Any]:
    return {
        "registry_url": KEY,
        "fetched_at": at,
        "etag": validators.etag,
        "last_modified": validators.last_modified,
        "index_json": answer.cache_json,
    }


@pytest.mark.parametrize("lost", ["DROP TABLE registry_index_cache", "PRAGMA user_version = 0"])
@pytest.mark.parametrize("reply", [fetched(), DOWN], ids=["up", "down"])
def test_a_database_that_cannot_be_read_never_stops_a_fetch(db: Database, lost: str, reply: Reply) -> None:
    db.connection.execute(lost)
    if lost.startswith("PRAGMA"):
        db.close()
        db.path.write_bytes(b"Dear diary, this is no database." * 40)
    lookup = Lookup(db.path, [reply])
    if isinstance(reply, Exception):
        with pytest.raises(TransientError) as raised:
            lookup()
        assert raised.value is reply
    else:
        assert lookup() == FRESH


def test_what_another_process_kept_meanwhile_serves_when_the_fetch_fails(db: Database) -> None:
    lookup = Lookup(db.path, [DOWN], during=lambda: keep(db, EXPIRED, body()))
    assert lookup() == stale()


@pytest.mark.parametrize(
    ("seconds", "age"),
    [
        (61, "1 minute"),
        (3599, "59 minutes"),
        (3600, "1 hour"),
        (86_399, "23 hours"),
        (86_400 * 400, "400 days"),
    ],
)
def test_a_stale_answer_has_no_greatest_age_and_says_its_own(db: Database, seconds: int, age: str) -> None:
    keep(db, later(-seconds), body())
    answer = Lookup(db.path, [DOWN])()
    assert (answer.outcome, answer.age_seconds) == ("stale", seconds)
    assert answer.warning is not None
    assert answer.warning.endswith(f"(fetched {age} ago)")


def test_an_error_without_words_is_named_by_its_kind(db: Database) -> None:
    keep(db, EXPIRED, body())
    warning = Lookup(db.path, [TimeoutError()])().warning
    assert warning is not None
    assert warning.startswith("fetch failed (TimeoutError); serving")


def test_no_transaction_is_open_while_the_network_is_asked(db: Database) -> None:
    rival = sqlite3.connect(db.path, timeout=0, isolation_level=None)

    def write_alone() -> None:
        rival.execute("BEGIN IMMEDIATE")
        rival.execute("COMMIT")
        busy.append(rival.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0])

    busy: list[int] = []
    lookup = Lookup(db.path, [NOT_MODIFIED, fetched()], during=write_alone)
    keep(db, EXPIRED, body(NOTHING))
    assert lookup() == FRESH
    # The first tells of a reader as well, the second of the cache being open at all.
    assert (busy, lookup.was_open) == ([0, 0], [False, False])
    rival.close()


def test_an_answer_that_is_asked_for_anew_is_not_taken_from_the_cache(db: Database) -> None:
    keep(db, later(86_400), body())
    lookup = Lookup(db.path, [fetched()], ttl_ms=-math.inf)
    assert (lookup(), lookup.asked) == (FRESH, [OLD])


def test_an_answer_of_any_age_is_taken_without_the_network(db: Database) -> None:
    keep(db, later(-86_400 * 3650), body())
    answer = Lookup(db.path, [], ttl_ms=math.inf)()
    assert (answer.value, answer.outcome, answer.warning) == ("kept", "cached", None)


def test_the_expired_answers_validators_are_sent(db: Database) -> None:
    keep(db, EXPIRED, body())
    lookup = Lookup(db.path, [fetched()])
    lookup()
    assert lookup.asked == [OLD]


@pytest.mark.parametrize("at", [YOUNG, EXPIRED, None])
def test_no_validators_are_sent_without_a_body_that_a_304_could_mean(db: Database, at: str | None) -> None:
    if at is not None:
        keep(db, at, body(NOTHING), OLD if at == YOUNG else Validators())
    lookup = Lookup(db.path, [fetched()])
    lookup()
    assert lookup.asked == [None]


def test_a_304_renews_the_row_and_keeps_body_and_validators(db: Database) -> None:
    keep(db, EXPIRED, body(stale=RAISES))
    lookup = Lookup(db.path, [NOT_MODIFIED])
    assert lookup() == Answer("kept", "fresh", None, None, AT)
    assert kept(db.path) == [a_row(AT, Fetched("", body(stale=RAISES), OLD), OLD)]
    assert Lookup(db.path, [])().outcome == "cached"


def test_a_304_does_not_bring_back_what_was_cleared_meanwhile(db: Database) -> None:
    keep(db, EXPIRED, body())

    def clear() -> None:
        db.connection.execute("DELETE FROM registry_index_cache")

    assert Lookup(db.path, [NOT_MODIFIED], during=clear)().value == "kept"
    assert kept(db.path) == []


@pytest.mark.parametrize("fresh", [NOTHING, RAISES, None])
def test_a_304_about_a_body_of_no_use_is_asked_again_without_validators(db: Database, fresh: Any) -> None:
    if fresh is not None:
        keep(db, EXPIRED, body(fresh))
    lookup = Lookup(db.path, [NOT_MODIFIED, fetched()])
    assert lookup() == FRESH
    assert lookup.asked == [OLD if fresh is not None else None, None]
    assert kept(db.path) == [a_row(AT, fetched(), NEW)]


def test_a_second_304_is_an_error(db: Database) -> None:
    with pytest.raises(ResponseError, match="304"):
        Lookup(db.path, [NOT_MODIFIED, NOT_MODIFIED])()
    keep(db, EXPIRED, body(NOTHING))
    answer = Lookup(db.path, [NOT_MODIFIED, NOT_MODIFIED])()
    assert (answer.value, answer.outcome) == ("kept, stale", "stale")


def test_an_answer_that_the_database_cannot_hold_is_an_answer_all_the_same(tmp_path: Path) -> None:
    half = Fetched("half", json.dumps("\ud800", ensure_ascii=False), NEW)
    assert Lookup(tmp_path / "state.db", [half])().value == "half"
    assert kept(tmp_path / "state.db") == []
