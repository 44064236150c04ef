"""The list of what is switched on, in a file that a person wrote."""

from __future__ import annotations

import tomllib

import pytest

from akm import paths
from akm.config_edit import lists
from akm.errors import ConfigError
from akm.tasks.firing import activation


def put(text: str, *values: str) -> str:
    return lists.put(text, "scheduler", "enabled", values)


def test_the_list_starts_a_table_of_its_own() -> None:
    assert put("") == "[scheduler]\nenabled = []\n"
    assert put("a = 1  # x\n", "t//tasks/a") == 'a = 1  # x\n\n[scheduler]\nenabled = ["t//tasks/a"]\n'


def test_a_list_on_one_line_keeps_its_comment_and_everything_around_it() -> None:
    text = '# Mine.\n[scheduler] # s\nenabled = ["a"]  # why\n\n[bundles.x]\npath = "/x"\n'
    assert put(text, "a", "b") == text.replace('["a"]', '["a", "b"]')


def test_a_list_on_many_lines_keeps_the_comments_of_what_stays() -> None:
    text = '[scheduler]\nenabled = [\n  # the team\'s\n  "a",  # one\n  "b",\n  "c" # last\n]\n[z]\nq = 1\n'
    assert put(text, "a", "c", "d") == (
        '[scheduler]\nenabled = [\n  # the team\'s\n  "a",  # one\n  "c", # last\n    "d",\n]\n[z]\nq = 1\n'
    )


def test_a_table_without_the_list_gets_it() -> None:
    assert put("[scheduler]\nother = 1\n", "a") == '[scheduler]\nenabled = ["a"]\nother = 1\n'
    assert put("[scheduler]", "a") == '[scheduler]\nenabled = ["a"]\n'


@pytest.mark.parametrize(
    "text",
    [
        'scheduler = { enabled = ["a"] }\n',
        'scheduler.enabled = ["a"]\n',
        '[scheduler]\nenabled = [\n "a", "b",\n]\n',
        'x = """\n[scheduler]\nenabled = []\n"""\n',
    ],
)
def test_what_cannot_be_changed_safely_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        put(text, "z")


def test_an_absent_list_is_no_empty_one() -> None:
    assert activation.enabled() is None
    activation.write([])
    assert activation.enabled() == []


def test_the_list_is_written_sorted_and_once_each() -> None:
    activation.write(["b//tasks/x", "a//tasks/x", "b//tasks/x"])
    assert activation.enabled() == ["a//tasks/x", "b//tasks/x"]
    assert tomllib.loads(paths.user_config_file().read_text())["scheduler"]["enabled"][0] == "a//tasks/x"


def test_a_file_in_an_unsafe_shape_stays_as_it_is() -> None:
    file = paths.user_config_file()
    paths.create(file.parent)
    file.write_text("scheduler = { enabled = [] }\n")
    with pytest.raises(ConfigError) as refused:
        activation.write(["a//tasks/x"])
    assert "nothing was changed" in refused.value.message
    assert file.read_text() == "scheduler = { enabled = [] }\n"
