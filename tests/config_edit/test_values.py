"""Texts of one table are set, and nothing else of the file changes."""

from __future__ import annotations

import pytest

from akm.config_edit import values

KEY = ("bundles", "team")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            '# Mine.\n[bundles.team] # x\npath = "a"\ncommit = "1" # pinned\n\n[other]\ncommit = "1"\n',
            '# Mine.\n[bundles.team] # x\npath = "a"\ncommit = "2" # pinned\n\n[other]\ncommit = "1"\n',
        ),
        ("[bundles.team]\npath = 'a'\n", "[bundles.team]\ncommit = \"2\"\npath = 'a'\n"),
        ("[bundles.team]\r\n  'commit' = 'x'\r\n", "[bundles.team]\r\n  'commit' = \"2\"\r\n"),
        ('[ bundles . "team" ]', '[ bundles . "team" ]\ncommit = "2"\n'),
        (
            '[bundles.team2]\ncommit = "1"\n[bundles.team]\ncommit="1"',
            '[bundles.team2]\ncommit = "1"\n[bundles.team]\ncommit="2"',
        ),
    ],
)
def test_a_value_is_replaced_or_put_in(before: str, after: str) -> None:
    assert values.put(before, KEY, {"commit": "2"}) == after


def test_true_and_false_are_set_like_texts() -> None:
    before = "[bundles.team]\nenabled = true # x\n"
    assert values.put(before, KEY, {"enabled": False}) == "[bundles.team]\nenabled = false # x\n"


@pytest.mark.parametrize(
    "text",
    [
        'bundles = { team = { path = "a" } }\n',
        '[bundles]\nteam.path = "a"\n',
        '[bundles.team]\ncommit = """\n1"""\n',
    ],
)
def test_a_text_written_in_another_way_is_left_alone(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        values.put(text, KEY, {"commit": "2"})
