"""docs/security.md claims nothing that no test checks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/security.md").read_text()
LONGEST = 150


def claims() -> list[tuple[str, list[str]]]:
    """Read every item of a list as what it says and the tests that its comment names."""
    items = re.findall(r"^- (.+?)(?=^- |^\n|^#|\Z)", PAGE, re.DOTALL | re.MULTILINE)
    return [(re.sub(r"<!--.*?-->", "", item), re.findall(r"\btest_\w+", item)) for item in items]


def known() -> set[str]:
    files = (ROOT / "tests").rglob("test_*.py")
    return {name for file in files for name in re.findall(r"^def (test_\w+)", file.read_text(), re.MULTILINE)}


def test_the_page_makes_claims() -> None:
    assert len(claims()) == len(re.findall(r"^- ", PAGE, re.MULTILINE)) > 35


@pytest.mark.parametrize("claim", claims(), ids=lambda claim: claim[0][:40])
def test_every_claim_names_a_test(claim: tuple[str, list[str]]) -> None:
    assert claim[1], f"docs/security.md says without a test: {claim[0]}"


def test_every_test_that_is_named_exists() -> None:
    named = {name for _said, names in claims() for name in names}
    assert sorted(named - known()) == []


def test_every_test_of_this_folder_is_named() -> None:
    here = {
        name
        for file in Path(__file__).parent.glob("test_*.py")
        if file.name != Path(__file__).name
        for name in re.findall(r"^def (test_\w+)", file.read_text(), re.MULTILINE)
    }
    assert sorted(name for name in here if name not in PAGE) == []


def test_the_page_is_short_and_can_be_found() -> None:
    assert PAGE.count("\n") <= LONGEST
    assert "](docs/security.md)" in (ROOT / "README.md").read_text()
    assert "](security.md)" in (ROOT / "docs/architecture.md").read_text()
