"""Line edits of a TOML text: what was written by a person stays as it was written."""

from __future__ import annotations

import tomllib

import pytest

from akm.config_edit import tables

TEXT = """# My settings.
[defaults]
engine = "writer"  # the quick one

# The team's.
[bundles.team]
path = "/team"  # shared

# Not the team's.
[bundles.team2]
path = "/team2"

[bundles."team x"]
path = "/x"

[[other]]
a = 1
"""


def test_adding_appends_and_changes_nothing_else() -> None:
    edited = tables.add(TEXT, ("bundles", "new"), {"path": '/a "quoted" \\ ü'})
    assert edited == TEXT + '\n[bundles.new]\npath = "/a \\"quoted\\" \\\\ ü"\n'
    assert tomllib.loads(edited)["bundles"]["new"] == {"path": '/a "quoted" \\ ü'}


def test_adding_to_nothing_starts_the_file() -> None:
    assert tables.add("", ("bundles", "é"), {"path": "/a"}) == '[bundles."é"]\npath = "/a"\n'


def test_windows_line_ends_are_kept() -> None:
    edited = tables.add("a = 1\r\n", ("bundles", "b"), {"path": "/b"})
    assert edited == 'a = 1\r\n\r\n[bundles.b]\r\npath = "/b"\r\n'
    assert tables.remove(edited, ("bundles", "b")) == "a = 1\r\n\r\n"


def test_removing_takes_the_tables_lines_and_no_comment_of_the_next() -> None:
    edited = tables.remove(TEXT, ("bundles", "team"))
    assert edited == TEXT.replace('[bundles.team]\npath = "/team"  # shared\n', "")


@pytest.mark.parametrize("header", ["[bundles.team]", '[ bundles . "team" ]', "['bundles'.team] # mine"])
def test_a_header_is_found_however_it_is_spelled(header: str) -> None:
    text = f'{header}\npath = "/t"\n[bundles.team.sub]\na = 1\n[z]\na = 1\n'
    assert tables.remove(text, ("bundles", "team")) == "[z]\na = 1\n"


def test_the_last_table_may_go_with_its_parent() -> None:
    assert tables.remove('[bundles.t]\npath = "/t"\n', ("bundles", "t")) == ""


@pytest.mark.parametrize(
    "text",
    [
        'bundles = { team = { path = "/t" } }\n',
        '[bundles]\nteam = { path = "/t" }\n',
        '[bundles]\nteam.path = "/t"\n',
        '[bundles.team]\npath = """\n[z]\n"""\n[bundles.team2]\npath = "/2"\n',
    ],
)
def test_what_cannot_be_removed_safely_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        tables.remove(text, ("bundles", "team"))


def test_what_cannot_be_added_safely_is_refused() -> None:
    with pytest.raises(ValueError):
        tables.add('bundles = { a = { path = "/a" } }\n', ("bundles", "team"), {"path": "/t"})


@pytest.mark.parametrize(
    ("line", "renamed"),
    [
        ("[bundles.team]", "[bundles.crew]"),
        ('  [ bundles . "team" ]  # team', "  [ bundles . crew ]  # team"),
        ("['bundles'.team]", "['bundles'.crew]"),
    ],
)
def test_a_table_is_renamed_where_it_stands(line: str, renamed: str) -> None:
    text = f'# team\n[bundles.a]\npath = "/a"\n{line}\n# Its.\npath = "team"\n[bundles.z]\npath = "/z"\n'
    edited = tables.rename(text, ("bundles", "team"), "crew")
    assert edited == text.replace(line, renamed)
    assert list(tomllib.loads(edited)["bundles"]) == ["a", "crew", "z"]


def test_only_the_named_table_is_renamed() -> None:
    text = TEXT + '[team]\nteam = "team"\n[bundles.TEAM]\npath = "/T"\n[bundles.team2.team]\na = 1\n'
    edited = tables.rename(text, ("bundles", "team"), "crew")
    assert edited == text.replace("[bundles.team]", "[bundles.crew]")


def test_tables_below_it_are_renamed_too() -> None:
    text = (
        '[bundles.team]\npath = """\n[bundles.team]\n"""\nlist = [\n  "bundles.team",\n]\n'
        "[bundles.team.sub]\na = 1\n[[bundles.team.rows]]\nteam = 1\n[[bundles.team.rows]]\nteam = 2\n"
    )
    edited = tables.rename(text, ("bundles", "team"), "crew")
    assert edited == (
        '[bundles.crew]\npath = """\n[bundles.team]\n"""\nlist = [\n  "bundles.team",\n]\n'
        "[bundles.crew.sub]\na = 1\n[[bundles.crew.rows]]\nteam = 1\n[[bundles.crew.rows]]\nteam = 2\n"
    )


@pytest.mark.parametrize(
    ("text", "renamed"),
    [
        ('bundles.team.path = "/t"\n', 'bundles.crew.path = "/t"\n'),
        ('[bundles]\n"team" . path = "/t"  # t\n', '[bundles]\ncrew . path = "/t"  # t\n'),
        ('[bundles]\nteam = { path = "/t" }\nz = { path = "/z" }\n',) * 2,
        ("[bundles]\r\n'team'.path = \"/t\"\r\n", '[bundles]\r\ncrew.path = "/t"\r\n'),
    ],
)
def test_a_table_is_renamed_however_its_keys_are_written(text: str, renamed: str) -> None:
    assert tables.rename(text, ("bundles", "team"), "crew") == renamed.replace("team =", "crew =")


@pytest.mark.parametrize("name", ["te_m", "te%m", "t\\m", 'q"t', "q't", "té𝄞m", "-"])
def test_any_name_of_a_bundle_can_be_put_in_and_taken_out(name: str) -> None:
    edited = tables.rename(TEXT, ("bundles", "team"), name)
    assert list(tomllib.loads(edited)["bundles"]) == [name, "team2", "team x"]
    assert tables.rename(edited, ("bundles", name), "team") == TEXT


@pytest.mark.parametrize(
    "text",
    [
        'bundles = { team = { path = "/t" } }\n',
        'bundles = { a = { path = "/a" }, team = { path = "/t" } }\n',
        '[bundles.team]\npath = "/t"\n[bundles.crew]\npath = "/c"\n',
        '[bundles.a]\npath = "/a"\n',
    ],
)
def test_what_cannot_be_renamed_safely_is_refused(text: str) -> None:
    with pytest.raises((ValueError, KeyError)):
        tables.rename(text, ("bundles", "team"), "crew")
