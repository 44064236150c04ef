"""The text of a crontab: what akm marked is changed, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from akm.errors import ConfigError
from akm.tasks.schedulers import crontab_text

BLOCK = "# akm:task {0} BEGIN\n{1}\n# akm:task {0} END\n"
SECTION = "# akm:env BEGIN\nPATH={0}\n# akm:env END\n"
MINE = "MAILTO=me\n# a comment\n\n0 5 * * *  run-parts %\ttabs \r\n"


def edit(text: str, path: str = "/bin", **options: object) -> str:
    return crontab_text.edit(text, path=path, **({"put": {}} | options))  # type: ignore[arg-type]


def test_the_first_rows_come_last_with_their_variables_above_them() -> None:
    edited = edit(MINE, put={"a": "* * * * * x", "b": "@daily y"})
    assert edited == (
        MINE + SECTION.format("/bin") + BLOCK.format("a", "* * * * * x") + BLOCK.format("b", "@daily y")
    )


def test_adding_and_removing_leaves_the_crontab_as_it_was() -> None:
    assert edit(edit(MINE, put={"a": "* * * * * x"}), remove=["a"]) == MINE


@given(st.text(st.characters(exclude_characters="\0#", exclude_categories=("Cs",))))
def test_every_other_line_stays_byte_for_byte(text: str) -> None:
    edited = edit(text, put={"a": "* * * * * x"})
    assert edited.startswith(text)
    assert edit(edited, remove=["a"]).rstrip("\n") == text.rstrip("\n")


def test_a_row_is_changed_where_it_stands_and_the_path_is_renewed() -> None:
    text = edit(MINE, put={"a": "1 * * * * x"}) + "9 9 * * * mine\n"
    assert edit(text, path="/new", put={"a": "2 * * * * x"}) == (
        MINE + SECTION.format("/new") + BLOCK.format("a", "2 * * * * x") + "9 9 * * * mine\n"
    )


def test_the_variables_of_somebody_elses_rows_stay() -> None:
    text = SECTION.format("/theirs") + BLOCK.format("other", "* * * * * y")
    assert edit(text, put={"a": "* * * * * x"}) == text + BLOCK.format("a", "* * * * * x")


def test_a_disabled_row_is_told_apart() -> None:
    text = BLOCK.format("a", "# akm:disabled * * * * * x") + BLOCK.format("b", "* * * * * x")
    assert [(block.native_id, block.is_enabled) for block in crontab_text.blocks(text)] == [
        ("a", False),
        ("b", True),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "# akm:task a BEGIN\n* * * * * x\n",
        "# akm:task a BEGIN\n# akm:task a END\n",
        "# akm:task a BEGIN\nx\ny\n# akm:task a END\n",
        "# akm:task a BEGIN\nx\n# akm:task b END\n",
        "# akm:task a BEGIN\n# akm:task b BEGIN\n# akm:task a END\n",
        "# akm:task a END\n",
        "# akm:task a\n",
        "# akm:env BEGIN\nPATH=/bin\n",
        "# akm:env END\n",
        BLOCK.format("a", "x") * 2,
        SECTION.format("/bin") * 2,
    ],
)
def test_a_crontab_with_a_broken_mark_is_not_touched(text: str) -> None:
    with pytest.raises(ConfigError) as refused:
        edit(MINE + text, put={"b": "* * * * * x"})
    assert refused.value.code == "CRONTAB_MALFORMED"


def test_a_row_is_one_line() -> None:
    with pytest.raises(ValueError):
        edit("", put={"a": "* * * * * x\n* * * * * y"})
