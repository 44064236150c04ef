"""The static index provider: what is asked, what is read, and what is found."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from searching import URL, a_source, an_asset, an_entry, an_index

from akm.errors import ResponseError
from akm.registry import static_index
from akm.registry.index_format import Index

ONE = a_source()
REAL = Path(__file__).parents[2].parent / "shared/data/registry"


def an_index_of(*entries: object) -> Index:
    return static_index.read(an_index(*entries), ONE, origin="network")


def titles(index: Index, query: str, limit: int = 20) -> list[tuple[str, float]]:
    found = static_index.hits(index, ONE, query, limit=limit, assets=False)
    return [(hit.title, hit.score) for hit in found.hits]


def test_the_whole_index_is_asked_for_under_its_url_whatever_the_query() -> None:
    asked = static_index.request(replace(ONE, ttl_seconds=7), "x", 3)
    assert (asked.url, asked.cache_key, asked.ttl_ms, asked.retries) == (URL, URL, 7000, 2)


@pytest.mark.parametrize("origin", ["cache", "stale"])
def test_a_damaged_cached_index_is_an_error_and_never_an_empty_answer(origin: str) -> None:
    with pytest.raises(ResponseError) as caught:
        static_index.read("{", ONE, origin=origin)  # type: ignore[arg-type]
    assert caught.value.message == f"The cached index of {URL} is damaged: it is not JSON."


def test_a_bad_answer_names_the_url_without_credentials() -> None:
    with pytest.raises(ResponseError) as caught:
        static_index.read(
            "<html>", replace(ONE, url="https://me:pw@one.example/index.json"), origin="network"
        )
    assert caught.value.message == f"The index at {URL} is not JSON."


def test_entries_are_ranked_by_how_well_they_fit() -> None:
    index = an_index_of(
        an_entry("Other", description="about deploy"),
        an_entry("Nothing"),
        an_entry("Deploy"),
        an_entry("Redeploy", tags=["deploy"], author="deployers", description="deploy"),
    )
    assert titles(index, "deploy") == [("Redeploy", 1.45), ("Deploy", 1.0), ("Other", 0.2)]
    assert titles(index, "DEPLOY thing", limit=2) == [("Redeploy", 0.725), ("Deploy", 0.5)]


def test_a_hit_carries_what_the_entry_tells() -> None:
    entry = an_entry(
        "Deploy",
        description="d",
        homepage="https://h",
        latestVersion="1",
        author="a",
        license="MIT",
        assetTypes=["skill", "agent"],
    )
    (hit,) = static_index.hits(an_index_of(entry), ONE, "deploy", limit=1, assets=True).hits
    assert hit.as_json() == {
        "source": "github",
        "id": "github:team/deploy",
        "title": "Deploy",
        "description": "d",
        "ref": "team/deploy",
        "installRef": "github:team/deploy",
        "homepage": "https://h",
        "score": 1.0,
        "metadata": {"version": "1", "author": "a", "license": "MIT", "assetTypes": "skill, agent"},
        "registryName": "one",
    }


def test_assets_are_found_by_name_tag_description_and_type_when_asked_for() -> None:
    assets = [
        an_asset("rollout", tags=["deploy"]),
        an_asset("x", type="deployment", description="to deploy"),
        an_asset("deploy", estimatedTokens=9),
        an_asset("nothing"),
    ]
    index = an_index_of(an_entry("Other", author="deploy", assets=assets))
    found = static_index.hits(index, ONE, "deploy", limit=2, assets=True)
    assert [(hit.name, hit.score) for hit in found.assets] == [("deploy", 1.0), ("rollout", 0.5)]
    assert found.assets[0].as_json()["stash"] == {"id": "github:team/other", "name": "Other"}
    assert found.assets[0].estimated_tokens == 9
    assert static_index.hits(index, ONE, "deploy", limit=2, assets=False).assets == []


def test_what_was_left_out_of_the_index_is_noted() -> None:
    assert static_index.hits(an_index_of(), ONE, "x", limit=1, assets=False).note is None
    index = an_index_of(5, an_entry(id=""))
    note = static_index.hits(index, ONE, "x", limit=1, assets=False).note
    assert note == "2 entries of the index are left out, without a usable id, name, ref or source"


@pytest.mark.skipif(not REAL.is_dir(), reason="the real indexes are not here")
def test_the_official_index_answers_as_expected() -> None:
    index = static_index.read((REAL / "index.json").read_text(), ONE, origin="network")
    assert next(title for title, _ in titles(index, "azure skills")) == "Azure Skills"
    assert [title for title, _ in titles(index, "agency")] == ["Agency Agents"]
