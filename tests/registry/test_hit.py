"""Hits: their JSON, and which are complete."""

from __future__ import annotations

from dataclasses import replace

import pytest

from akm.registry.hit import AssetHit, Hit

HIT = Hit("github:a/b", "B", "a/b", "github", 0.5, "one")
ASSET = AssetHit("skill", "s", "github:a/b", "B", "a/b", "github", 0.5, "one")


def test_a_full_hit_is_written_with_every_key() -> None:
    full = replace(HIT, description="d", homepage="https://h", metadata={"license": "MIT"})
    assert full.as_json() == {
        "source": "github",
        "id": "github:a/b",
        "title": "B",
        "description": "d",
        "ref": "a/b",
        "installRef": "github:a/b",
        "homepage": "https://h",
        "score": 0.5,
        "metadata": {"license": "MIT"},
        "registryName": "one",
    }


def test_what_is_empty_is_left_out_but_a_score_of_zero_is_not() -> None:
    assert set(replace(HIT, score=0.0).as_json()) == {
        *("source", "id", "title", "ref", "installRef", "score", "registryName")
    }
    assert replace(ASSET, score=0.0, estimated_tokens=0).as_json() == {
        "assetType": "skill",
        "assetName": "s",
        "estimatedTokens": 0,
        "stash": {"id": "github:a/b", "name": "B"},
        "ref": "a/b",
        "installRef": "github:a/b",
        "score": 0.0,
        "registryName": "one",
    }


@pytest.mark.parametrize(
    ("source", "expected"),
    [("npm", "npm:a/b"), ("github", "github:a/b"), ("git", "git+a/b"), ("local", "file:a/b")],
)
def test_each_source_has_its_prefix_to_install(source: str, expected: str) -> None:
    assert replace(HIT, source=source).as_json()["installRef"] == expected


@pytest.mark.parametrize(
    "change",
    [
        {"id": ""},
        {"title": ""},
        {"ref": ""},
        {"source": "svn"},
        {"score": float("nan")},
        {"score": float("inf")},
    ],
)
def test_a_hit_without_what_is_needed_is_incomplete(change: dict[str, object]) -> None:
    assert HIT.is_complete
    assert not replace(HIT, **change).is_complete  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "change", [{"type": ""}, {"name": ""}, {"bundle_id": ""}, {"ref": ""}, {"source": ""}]
)
def test_an_asset_without_what_is_needed_is_incomplete(change: dict[str, object]) -> None:
    assert ASSET.is_complete
    assert not replace(ASSET, **change).is_complete  # type: ignore[arg-type]
