"""Numbers in texts agree with their nouns, and one function sees to it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import akm
from akm.spelling import counted
from akm.views.health import CHECKS, Check

PACKAGE = Path(akm.__file__).parent
PLURAL_OF_ITS_OWN = re.compile(r"""else ['"](?:e?s)['"]""")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((0, "unit"), "0 units"),
        ((1, "unit"), "1 unit"),
        ((2, "unit"), "2 units"),
        ((1, "dispatch", "dispatches"), "1 dispatch"),
        ((3, "row is lost", "rows are lost"), "3 rows are lost"),
    ],
)
def test_a_noun_agrees_with_its_number(words: tuple[int, str], said: str) -> None:
    assert counted(*words) == said


def test_no_module_makes_plurals_of_its_own() -> None:
    found = [
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if PLURAL_OF_ITS_OWN.search(path.read_text(encoding="utf-8"))
    ]
    assert found == []


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.words[0])
def test_one_row_that_is_not_sound_is_told_in_the_singular(check: Check) -> None:
    one, several = check.words
    assert not re.search(r"\b(are|have|differ|their)\b", one)
    assert re.search(r"\b(are|have|differ|run)\b", several)
