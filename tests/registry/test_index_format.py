"""Index files: what is taken from them, what is left out, and the sentence for each that is none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from searching import an_asset, an_entry, an_index

from akm.registry import index_format
from akm.registry.index_format import IndexFault

REAL = Path(__file__).parents[2].parent / "shared/data/registry"


def fault(text: str) -> str:
    with pytest.raises(IndexFault) as caught:
        index_format.read(text)
    return f"{caught.value.sentence_end}. {caught.value.hint}"


@pytest.mark.parametrize("version", [2, 3])
def test_versions_two_and_three_are_read(version: int) -> None:
    assert index_format.read(an_index(an_entry(), version=version))["stashes"] == [an_entry()]


@pytest.mark.parametrize("version", [1, 2, 3])
def test_an_index_with_kits_says_what_is_missing_and_who_must_act(version: int) -> None:
    old = {"version": version, "updatedAt": "2025-01-01T00:00:00.000Z", "kits": [an_entry(curated=True)]}
    assert fault(json.dumps(old)) == (
        "is in an old format: it lists its entries under `kits`, and `stashes` is missing. "
        "The registry must publish a newer index: version 3, with its entries under `stashes`."
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("<html>", "is not JSON."),
        ("", "is not JSON."),
        ("[" * 100_000, "is not JSON."),
        ("9" * 10_000, "is not JSON."),
        ("[]", "is no valid registry index: it must be a JSON object."),
        (an_index(version=1), "is no valid registry index: `version` must be 3"),
        (an_index(version=True), "is no valid registry index: `version` must be 3"),
        (an_index(version="3"), "is no valid registry index: `version` must be 3"),
        (an_index(version=4), "is newer than this akm: it is version 4, and versions 2 and 3 are read. Upgr"),
        (an_index(updatedAt=5), "is no valid registry index: `updatedAt` must be text."),
        (an_index(stashes={}), "is no valid registry index: `stashes` must be a list."),
    ],
)
def test_what_is_no_index_says_why(text: str, sentence: str) -> None:
    assert fault(text).startswith(sentence)


@pytest.mark.parametrize(
    "bad",
    [
        5,
        None,
        [],
        an_entry(id=""),
        an_entry() | {"name": None},
        an_entry(ref=7),
        an_entry(source="svn"),
        an_entry(source=["npm"]),
    ],
)
def test_an_unusable_entry_alone_is_left_out_and_counted(bad: object) -> None:
    index = index_format.read(an_index(bad, an_entry()))
    assert (index["stashes"], index["dropped"]) == ([an_entry()], 1)


def test_what_an_entry_tells_wrongly_is_absent() -> None:
    odd = an_entry(description=5, tags="x", assetTypes=[], author=None, curated=True, assets={})
    assert index_format.read(an_index(odd))["stashes"] == [an_entry()]
    mixed = an_entry(tags=["a", 5, None], assets=[an_asset(), an_asset(type=""), 5, {"name": "x"}])
    assert index_format.read(an_index(mixed))["stashes"] == [an_entry(tags=["a"], assets=[an_asset()])]


def test_an_asset_keeps_what_is_known_of_assets() -> None:
    full = an_asset(description="d", tags=["t"], estimatedTokens=12.5)
    odd = an_asset("odd", path="skills/odd", tags=[1], description=[], estimatedTokens=True)
    read = index_format.read(
        an_index(an_entry(assets=[full, odd, an_asset("nan", estimatedTokens=float("nan"))]))
    )
    assert read["stashes"][0]["assets"] == [full, an_asset("odd"), an_asset("nan")]


def test_a_normalised_index_reads_as_itself() -> None:
    index = index_format.read(an_index(5, an_entry(tags=["a"], assets=[an_asset()], homepage="https://h")))
    assert index["dropped"] == 1
    assert index_format.read(json.dumps(index)) == index


def test_half_a_surrogate_pair_becomes_a_character_that_can_be_printed() -> None:
    (entry,) = index_format.read(an_index(an_entry(description="a\ud800b \U0001f600")))["stashes"]
    assert entry["description"] == "a\N{REPLACEMENT CHARACTER}b \U0001f600"


@pytest.mark.skipif(not REAL.is_dir(), reason="the real indexes are not here")
def test_real_indexes_are_read_whole() -> None:
    official = index_format.read((REAL / "index.json").read_text())
    assert (len(official["stashes"]), official["dropped"]) == (7, 0)
    small = index_format.read((REAL / "small-index-with-assets.json").read_text())
    assert [len(entry.get("assets", [])) for entry in small["stashes"]] == [1, 0]
