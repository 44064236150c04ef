"""The skills.sh provider: its URL and key, its answers, its scores, and what an old empty list means."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

import pytest
from searching import a_source

from akm.errors import ResponseError
from akm.registry import skills_sh
from akm.registry.answer import UNUSABLE

SKILLS = a_source("skills", url="https://skills.example//", provider="skills-sh")
ROLLOUT = {"id": "team/repo/rollout", "name": "rollout", "installs": 300, "source": "team/repo"}
OTHER = {"id": "o/r/other", "name": "other", "installs": 100, "source": "o/r"}


def answer(*skills: object) -> str:
    return json.dumps({"skills": skills})


def test_the_query_is_quoted_into_the_url() -> None:
    asked = skills_sh.request(SKILLS, " Deploy & ship/ü ", 5)
    assert asked.url == "https://skills.example/api/search?q=Deploy%20%26%20ship%2F%C3%BC&limit=5"
    assert (asked.ttl_ms, asked.retries) == (15 * 60 * 1000, 1)


def test_the_key_is_the_digest_of_url_query_and_limit() -> None:
    key = skills_sh.request(SKILLS, "Deploy ", 5).cache_key
    assert key == "skills-sh:" + hashlib.md5(b"https://skills.example//\0deploy\x005").hexdigest()
    assert skills_sh.request(SKILLS, "deploy", 5).cache_key == key
    others = [
        (SKILLS, "deploy", 6),
        (SKILLS, "deploys", 5),
        (replace(SKILLS, url="https://b.example"), "deploy", 5),
    ]
    assert key not in {skills_sh.request(*other).cache_key for other in others}


@pytest.mark.parametrize("text", ["[]", '{"skills": {}}', "{}", "null", "5", '[{"id": "a"}]'])
def test_an_answer_of_another_shape_holds_no_skills(text: str) -> None:
    assert skills_sh.read(text, SKILLS, origin="network") == []


@pytest.mark.parametrize(
    "bad",
    [
        5,
        ROLLOUT | {"id": ""},
        ROLLOUT | {"name": 5},
        ROLLOUT | {"installs": "300"},
        ROLLOUT | {"installs": True},
        ROLLOUT | {"installs": float("nan")},
        ROLLOUT | {"source": "mintlify.example"},
        ROLLOUT | {"source": "a/b/c"},
        ROLLOUT | {"name": "\ud800"},
    ],
)
def test_what_is_no_skill_is_left_out(bad: object) -> None:
    assert skills_sh.read(answer(bad, OTHER), SKILLS, origin="network") == [OTHER]


def test_what_was_read_reads_again_from_the_cache() -> None:
    skills = skills_sh.read(answer(ROLLOUT | {"extra": 1}), SKILLS, origin="network")
    assert skills_sh.read(json.dumps(skills), SKILLS, origin="cache") == skills == [ROLLOUT]


def test_no_json_is_an_error_from_the_network_and_unusable_from_the_cache() -> None:
    with pytest.raises(ResponseError, match=r"^The answer of https://skills.example// is not JSON"):
        skills_sh.read("<html>", SKILLS, origin="network")
    assert skills_sh.read("{", SKILLS, origin="cache") is UNUSABLE
    assert skills_sh.read("{", SKILLS, origin="stale") is UNUSABLE


def test_an_empty_list_is_an_answer_while_it_is_young_only() -> None:
    assert skills_sh.read("[]", SKILLS, origin="cache") == []
    assert skills_sh.read("[]", SKILLS, origin="stale") is UNUSABLE


def test_skills_are_scored_by_their_installs() -> None:
    found = skills_sh.hits([ROLLOUT, OTHER], SKILLS, "x", limit=5, assets=True)  # type: ignore[list-item]
    assert found.hits[0].as_json() == {
        "source": "github",
        "id": "skills-sh:team/repo/rollout",
        "title": "rollout",
        "ref": "team/repo",
        "installRef": "github:team/repo",
        "homepage": "https://skills.example/team/repo/rollout",
        "score": 1.0,
        "metadata": {"installs": "300", "author": "team"},
        "registryName": "skills",
    }
    assert [(hit.type, hit.name, hit.score) for hit in found.assets] == [
        ("skill", "rollout", 1.0),
        ("skill", "other", 0.333),
    ]


def test_without_installs_nothing_is_divided_by_zero() -> None:
    never = {**OTHER, "installs": 0}
    found = skills_sh.hits([never], SKILLS, "x", limit=5, assets=False)  # type: ignore[list-item]
    assert ([hit.score for hit in found.hits], found.assets) == ([0.0], [])
    assert skills_sh.hits([], SKILLS, "x", limit=5, assets=True).hits == []
