"""Searching several registries: one ranked list, one outcome per registry, whatever each of them does."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from searching import URL, Clock, Registries, a_cache, a_source, an_asset, an_entry, an_index
from serving import Server

from akm.errors import ConfigError, NotFoundError, TransientError
from akm.registry import providers
from akm.registry.hit import Found, Hit
from akm.registry.provider import Origin, Request
from akm.registry.search import SearchResult, bounded, search
from akm.registry.source import Source
from akm.services import registry_cache
from akm.store.opening import open_database

ONE, TWO = a_source("one"), a_source("two")
SKILLS = a_source("skills", url="https://skills.example", provider="skills-sh")
SKILLS_URL = "https://skills.example/api/search?q=deploy&limit=20"
HOUR = 3600


class Place:
    """A cache, a clock and registries to search in."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.clock = Clock()
        self.registries = Registries({URL: an_index(an_entry("Deploy tools"))})

    def search(self, query: str = "deploy", *sources: Any, **more: Any) -> SearchResult:
        settings = {"open_cache": a_cache(self.path), "now": self.clock, "get": self.registries.get} | more
        return search(query, sources=sources or (ONE,), **settings)

    def keep(self, key: str, text: str) -> None:
        with open_database(self.path, synchronous="normal") as db:
            registry_cache.put(db, key, at=self.clock(), index_json=text)


@pytest.fixture
def place(db_path: Path) -> Place:
    return Place(db_path)


def titles(result: SearchResult) -> list[str]:
    return [hit.title for hit in result.hits]


def statuses(result: SearchResult) -> list[tuple[str, str]]:
    return [(one.registry, one.status) for one in result.outcomes]


@pytest.mark.parametrize("query", ["", " \t\n"])
def test_a_blank_query_finds_nothing_and_asks_nobody(place: Place, query: str) -> None:
    assert place.search(query) == SearchResult()
    assert place.registries.asked == []


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        (None, 20),
        (0, 20),
        (float("nan"), 20),
        (1, 1),
        (0.5, 1),
        (-5, 1),
        (7.9, 7),
        (100, 100),
        (101, 100),
        (float("inf"), 100),
    ],
)
def test_the_limit_is_kept_within_bounds(limit: float | None, expected: int) -> None:
    assert bounded(limit) == expected


def test_the_limit_cuts_the_merged_list(place: Place) -> None:
    both = an_index(an_entry("Deploy a"), an_entry("Deploy b"))
    place.registries.answers = {ONE.url: both, TWO.url: both}
    assert len(place.search("deploy", ONE, TWO, limit=3).hits) == 3


def test_each_registry_is_put_on_one_scale_before_merging(place: Place) -> None:
    place.registries.answers = {
        ONE.url: an_index(an_entry("deploy", tags=["deploy"]), an_entry("deploying"), an_entry("redeploy")),
        TWO.url: an_index(an_entry("x", description="deploy")),
    }
    result = place.search("deploy", ONE, TWO)
    assert [(hit.title, hit.score, hit.registry) for hit in result.hits] == [
        ("deploy", 1.0, "one"),
        ("x", 1.0, "two"),
        ("deploying", 0.0, "one"),
        ("redeploy", 0.0, "one"),
    ]


def test_a_new_answer_is_kept_and_serves_until_its_time_is_over(place: Place) -> None:
    assert statuses(place.search()) == [("one", "fresh")]
    place.clock.passes(seconds=HOUR)
    again = place.search("tools")
    assert (statuses(again), again.outcomes[0].age_seconds, titles(again)) == (
        [("one", "cached")],
        3600,
        ["Deploy tools"],
    )
    assert place.registries.asked == [URL]
    place.clock.passes(seconds=0.001)
    assert statuses(place.search()) == [("one", "fresh")]


def test_the_time_an_index_is_kept_is_the_sources(place: Place) -> None:
    place.search()
    place.clock.passes(seconds=2)
    assert statuses(place.search("deploy", replace(ONE, ttl_seconds=1))) == [("one", "fresh")]


def test_an_unchanged_index_costs_a_question_alone(place: Place) -> None:
    place.registries.etags[URL] = '"1"'
    place.search()
    place.clock.passes(seconds=2 * HOUR)
    place.registries.answers[URL] = "never read"
    result = place.search()
    assert (statuses(result), titles(result)) == ([("one", "fresh")], ["Deploy tools"])


def test_a_registry_that_is_down_gives_its_last_answer_with_its_age(place: Place) -> None:
    place.search()
    place.clock.passes(seconds=50 * HOUR)
    place.registries.answers = {URL: TransientError(f"{URL} gave no answer within 10 seconds.")}
    result = place.search()
    assert (statuses(result), titles(result)) == ([("one", "stale")], ["Deploy tools"])
    assert result.outcomes[0].age_seconds == 50 * HOUR
    assert result.warnings == (
        f"Registry one ({URL}): fetch failed ({URL} gave no answer within 10 seconds); serving the last "
        "cached index, past its refresh interval (fetched 2 days ago).",
    )
    assert result.exit_status == 0


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (
            TransientError("https://me:pw@one.example is down.", code="REGISTRY_UNREACHABLE"),
            "REGISTRY_UNREACHABLE",
        ),
        (ConfigError("No.", code="REGISTRY_URL_INVALID"), "REGISTRY_URL_INVALID"),
        (NotFoundError("No.", code="REGISTRY_NOT_FOUND"), "REGISTRY_NOT_FOUND"),
        (KeyError("a bug"), "INTERNAL"),
    ],
)
def test_one_failing_registry_stops_no_other(place: Place, error: Exception, code: str) -> None:
    place.registries.answers[TWO.url] = error
    result = place.search("deploy", TWO, ONE)
    assert (statuses(result), titles(result)) == ([("two", "failed"), ("one", "fresh")], ["Deploy tools"])
    assert (result.outcomes[0].code, result.exit_status) == (code, 0)
    assert "pw" not in json.dumps(result.as_json())
    assert place.search("deploy", TWO).exit_status == 1


def test_without_any_registry_nothing_has_failed(place: Place) -> None:
    assert search("x", sources=(), open_cache=a_cache(place.path)).exit_status == 0


def test_an_answer_that_is_no_index_fails_and_is_not_kept(place: Place) -> None:
    place.search()
    place.clock.passes(seconds=2 * HOUR)
    place.registries.answers[URL] = "<html>Sign in</html>"
    assert statuses(place.search()) == [("one", "stale")]
    failed = place.search("deploy", TWO)
    place.registries.answers[TWO.url] = "<html>"
    failed = place.search("deploy", TWO)
    assert failed.outcomes[0].reason == f"The index at {TWO.url} is not JSON."
    assert statuses(place.search("deploy", TWO, offline=True)) == [("two", "failed")]


def test_a_damaged_cached_index_is_a_failure_that_names_it(place: Place) -> None:
    place.keep(URL, "{")
    result = place.search()
    assert statuses(result) == [("one", "failed")]
    assert result.warnings == (
        f"Registry one ({URL}): The cached index of {URL} is damaged: it is not JSON.",
    )
    assert place.registries.asked == []


def test_a_cache_that_cannot_be_used_is_done_without(place: Place) -> None:
    assert statuses(place.search(open_cache=lambda: nullcontext(None))) == [("one", "fresh")]


def test_offline_nobody_is_asked_and_any_age_will_do(place: Place) -> None:
    place.search()
    place.registries.asked.clear()
    assert statuses(place.search(offline=True)) == [("one", "cached")]
    place.clock.passes(seconds=1000 * HOUR)
    result = place.search("deploy", ONE, TWO, offline=True)
    assert (statuses(result), titles(result)) == ([("one", "stale"), ("two", "failed")], ["Deploy tools"])
    assert result.outcomes[0].age_seconds == 1000 * HOUR
    assert result.warnings == (f"Registry two ({TWO.url}): Nothing usable of {TWO.url} is cached.",)
    assert place.registries.asked == []


def test_an_old_empty_list_of_skills_never_passes_for_nothing_found(place: Place) -> None:
    place.registries.answers = {SKILLS_URL: '{"skills": []}'}
    assert statuses(place.search("deploy", SKILLS)) == [("skills", "fresh")]
    place.registries.answers = {}
    assert statuses(place.search("Deploy ", SKILLS)) == [("skills", "cached")]
    place.clock.passes(seconds=15 * 60 + 1)
    assert statuses(place.search("deploy", SKILLS)) == [("skills", "failed")]


def test_what_the_index_left_out_is_told_also_from_the_cache(place: Place) -> None:
    place.registries.answers[URL] = an_index(5, an_entry("Deploy tools"))
    fresh, cached = place.search(), place.search()
    assert [one.outcomes[0].note for one in (fresh, cached)] == [
        "1 entry of the index is left out, without a usable id, name, ref or source"
    ] * 2
    assert fresh.warnings[0].endswith("name, ref or source.")


def test_assets_come_only_where_they_are_asked_for(place: Place) -> None:
    place.registries.answers[URL] = an_index(
        an_entry("Tools", assets=[an_asset("deploy"), an_asset("redeploy")])
    )
    assert place.search().asset_hits == ()
    found = place.search(assets=True).asset_hits
    assert [(hit.name, hit.score) for hit in found] == [("deploy", 1.0), ("redeploy", 0.0)]


def test_the_client_is_told_what_the_source_allows_and_how_often_to_try(place: Place) -> None:
    place.registries.answers[SKILLS_URL] = '{"skills": []}'
    place.search("deploy", replace(ONE, allow_private=True))
    place.search("deploy", SKILLS)
    assert [(each["allow_private"], each["limits"].retries) for each in place.registries.options] == [
        (True, 2),
        (False, 1),
    ]


def test_all_registries_are_asked_at_once(place: Place) -> None:
    together = threading.Barrier(3, timeout=30)

    def answer() -> str:
        together.wait()
        return an_index(an_entry("Deploy tools"))

    three = [a_source(name) for name in ("one", "two", "three")]
    place.registries.answers = {source.url: answer for source in three}
    result = place.search("deploy", *three)
    assert statuses(result) == [("one", "fresh"), ("two", "fresh"), ("three", "fresh")]


def test_the_database_is_opened_by_one_thread_at_a_time(place: Place) -> None:
    meeting, met = threading.Barrier(2), []

    @contextmanager
    def opened() -> Iterator[None]:
        # Two that are here at once meet; one that is alone gives up.
        try:
            met.append(meeting.wait(0.2))
        except threading.BrokenBarrierError:
            pass
        yield None

    place.search("deploy", ONE, TWO, open_cache=opened)
    assert met == []


def test_the_result_is_written_as_json(place: Place) -> None:
    written = place.search("deploy", ONE, TWO).as_json()
    assert [hit["title"] for hit in written["hits"]] == ["Deploy tools"]
    assert written["assetHits"] == []
    assert written["registries"] == [
        {"registry": "one", "url": URL, "status": "fresh", "count": 1, "fetchedAt": place.clock()},
        {
            "registry": "two",
            "url": TWO.url,
            "status": "failed",
            "count": 0,
            "reason": f"{TWO.url} is down.",
            "code": "REGISTRY_UNREACHABLE",
        },
    ]
    assert written["warnings"] == [f"Registry two ({TWO.url}): {TWO.url} is down."]


def test_real_servers_are_searched_by_the_real_client(db_path: Path, http_server: Server) -> None:
    replies = {
        "good": http_server.reply("/good", an_index(an_entry("Deploy tools")), ETag='"1"'),
        "page": http_server.reply("/page", "<html>Sign in</html>"),
        "gone": http_server.url("/gone"),
    }
    sources = [Source(name, url, allow_private=True) for name, url in replies.items()]
    private = Source("private", http_server.url("/good?private"))
    result = search("deploy", sources=[*sources, private], open_cache=a_cache(db_path))
    assert titles(result) == ["Deploy tools"]
    assert [(one.registry, one.status, one.code) for one in result.outcomes] == [
        ("good", "fresh", None),
        ("page", "failed", "REGISTRY_RESPONSE_INVALID"),
        ("gone", "failed", "REGISTRY_NOT_FOUND"),
        ("private", "failed", "REGISTRY_URL_INVALID"),
    ]
    assert all(
        url in str(one.reason)
        for url, one in zip(replies.values(), result.outcomes, strict=False)
        if one.error
    )


def a_provider(hits: Callable[..., Found]) -> Any:
    """Another kind of registry: a line of text per bundle."""

    def request(source: Source, query: str, _limit: int) -> Request:
        return Request(f"{source.url}?{query}", f"lines:{query}", 1000)

    def read(text: str, _source: Source, *, origin: Origin) -> Any:
        return text.splitlines() if origin == "network" else json.loads(text)

    return SimpleNamespace(request=request, read=read, hits=hits)


def a_line(line: str, score: float = 1.0) -> Hit:
    return Hit(line, line, line, "npm", score, "lines")


def test_another_provider_takes_one_line_in_the_table(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = a_provider(lambda value, *_args, **_options: Found([a_line(line) for line in value], []))
    monkeypatch.setitem(providers.PROVIDERS, "lines", lines)
    other = a_source("lines", provider="lines")
    place.registries.answers[f"{other.url}?deploy"] = "first\nsecond"
    for status in ("fresh", "cached"):
        result = place.search("deploy", ONE, other)
        assert statuses(result)[1] == ("lines", status)
        assert titles(result) == ["Deploy tools", "first", "second"]


def test_incomplete_hits_are_left_out_and_counted(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    given = [a_line("a"), replace(a_line("b"), ref=""), replace(a_line("c"), score=float("nan"))]
    monkeypatch.setitem(providers.PROVIDERS, "lines", a_provider(lambda *_args, **_options: Found(given, [])))
    other = a_source("lines", provider="lines")
    place.registries.answers[f"{other.url}?deploy"] = "x"
    result = place.search("deploy", other)
    assert (titles(result), result.outcomes[0].count) == (["a"], 1)
    assert result.warnings == (f"Registry lines ({other.url}): 2 incomplete hits left out.",)


def test_a_provider_with_a_bug_fails_alone(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(
        providers.PROVIDERS, "lines", a_provider(lambda value, *_args, **_options: value["x"])
    )
    other = a_source("lines", provider="lines")
    place.registries.answers[f"{other.url}?deploy"] = "x"
    result = place.search("deploy", other, ONE)
    assert statuses(result) == [("lines", "failed"), ("one", "fresh")]
    assert str(result.outcomes[0].reason).startswith("its provider failed: TypeError(")
