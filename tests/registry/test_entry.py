"""Looking one bundle up, and refreshing indexes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from searching import Clock, Registries, a_cache, a_source, an_asset, an_entry, an_index

from akm.errors import NotFoundError, TransientError
from akm.registry.entry import Entries, find

ONE, TWO = a_source("one"), a_source("two")
SKILLS = a_source("skills", url="https://skills.example", provider="skills-sh")
TOOLS = an_entry("Deploy tools", assets=[an_asset("rollout", tags=["a"]), an_asset("x", type="agent")])


@pytest.fixture
def registries() -> Registries:
    return Registries({ONE.url: an_index(TOOLS), TWO.url: an_index(an_entry("Other"), TOOLS)})


def found(path: Path, registries: Registries, wanted: str, *sources: Any, offline: bool = False) -> Entries:
    return find(
        wanted,
        sources=sources or (ONE, TWO, SKILLS),
        open_cache=a_cache(path),
        now=Clock(),
        get=registries.get,
        offline=offline,
    )


@pytest.mark.parametrize("wanted", ["github:team/deploy-tools", "Deploy tools", "deploy TOOLS"])
def test_a_bundle_is_found_by_id_or_name_with_its_assets(
    db_path: Path, registries: Registries, wanted: str
) -> None:
    entries = found(db_path, registries, wanted)
    assert [(entry.hit.registry, len(entry.assets)) for entry in entries.found] == [("one", 2), ("two", 2)]
    assert entries.as_json()["entries"][0] == {
        "source": "github",
        "id": "github:team/deploy-tools",
        "title": "Deploy tools",
        "ref": "team/deploy-tools",
        "installRef": "github:team/deploy-tools",
        "registryName": "one",
        "assets": [
            {"assetType": "skill", "assetName": "rollout", "tags": ["a"]},
            {"assetType": "agent", "assetName": "x"},
        ],
    }
    assert [(one.registry, one.status, one.count) for one in entries.outcomes] == [
        ("one", "fresh", 1),
        ("two", "fresh", 2),
    ]


def test_what_is_not_listed_says_what_comes_close_and_who_could_not_be_asked(
    db_path: Path, registries: Registries
) -> None:
    registries.answers[TWO.url] = TransientError("It is down.")
    with pytest.raises(NotFoundError) as caught:
        found(db_path, registries, "github:team/deploy-tool")
    assert caught.value.code == "ENTRY_NOT_FOUND"
    assert caught.value.message == (
        "No registry lists 'github:team/deploy-tool'. "
        f"Not all could be asked: Registry two ({TWO.url}): It is down."
    )
    assert caught.value.hint == "Did you mean github:team/deploy-tools?"


def test_when_no_registry_answers_its_failure_is_the_error(db_path: Path, registries: Registries) -> None:
    down = TransientError("It is down.")
    registries.answers = {ONE.url: down}
    with pytest.raises(TransientError) as caught:
        found(db_path, registries, "x", ONE)
    assert caught.value is down


def test_offline_a_bundle_is_found_in_what_is_cached(db_path: Path, registries: Registries) -> None:
    found(db_path, registries, "Other", TWO)
    registries.answers = {}
    entries = found(db_path, registries, "Other", ONE, TWO, offline=True)
    assert [one.status for one in entries.outcomes] == ["failed", "cached"]
    assert entries.warnings == (f"Registry one ({ONE.url}): Nothing usable of {ONE.url} is cached.",)
