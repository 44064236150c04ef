"""Entries of a list are replaced where they stand."""

from __future__ import annotations

import pytest

from akm.config_edit import lists

NEW = {"a//tasks/x": "b//tasks/x"}


@pytest.mark.parametrize(
    ("text", "edited"),
    [
        (
            '[scheduler]\nenabled = ["A//tasks/x", "a//tasks/x"]  # "a//tasks/x"\n',
            '[scheduler]\nenabled = ["A//tasks/x", "b//tasks/x"]  # "a//tasks/x"\n',
        ),
        (
            '[scheduler]\nenabled = [\n  # the "first\n  "a//tasks/x", # its "a//tasks/x"\n  "z"\n]\n',
            '[scheduler]\nenabled = [\n  # the "first\n  "b//tasks/x", # its "a//tasks/x"\n  "z"\n]\n',
        ),
        ("[scheduler]\r\nenabled = ['a//tasks/x']\r\n", "[scheduler]\r\nenabled = ['b//tasks/x']\r\n"),
        ('scheduler.enabled = ["a//tasks/x"]\n', 'scheduler.enabled = ["b//tasks/x"]\n'),
        ('scheduler = { enabled = ["""a//tasks/x"""] }\n', 'scheduler = { enabled = ["b//tasks/x"] }\n'),
        (
            '[other]\nmine = ["a//tasks/x"]\n[scheduler]\nenabled = ["a//tasks/x"]\n',
            '[other]\nmine = ["a//tasks/x"]\n[scheduler]\nenabled = ["b//tasks/x"]\n',
        ),
        ('[scheduler]\nenabled = ["\\u0061//tasks/x"]\n', '[scheduler]\nenabled = ["b//tasks/x"]\n'),
    ],
)
def test_an_entry_is_replaced_and_nothing_else(text: str, edited: str) -> None:
    assert lists.replace(text, "scheduler", "enabled", NEW) == edited


@pytest.mark.parametrize(
    "text",
    [
        'mine = ["a//tasks/x"]\nscheduler.enabled = ["a//tasks/x"]\n',
        'scheduler.enabled = "a//tasks/x"\n',
        "[scheduler]\n",
    ],
)
def test_what_cannot_be_replaced_alone_is_refused(text: str) -> None:
    with pytest.raises((ValueError, KeyError)):
        lists.replace(text, "scheduler", "enabled", NEW)


def test_quotes_in_names_are_kept_apart() -> None:
    text = "[scheduler]\nenabled = ['a//tasks/x', 'b']\n"
    edited = lists.replace(text, "scheduler", "enabled", {"a//tasks/x": "it's//x", "b": 'a"\\b'})
    assert edited == "[scheduler]\nenabled = [\"it's//x\", 'a\"\\b']\n"
