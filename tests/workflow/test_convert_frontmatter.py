"""The frontmatter of the heading grammar, edited into today's."""

from __future__ import annotations

import pytest

from akm.workflow.conversion.convert import convert
from akm.workflow.conversion.convert_frontmatter import rewritten
from akm.workflow.parsing.compile import compile
from akm.workflow.parsing.frontmatter import compose, plain
from akm.workflow.parsing.report import Report

BODY = "## Step: One\nStep ID: one\n\n### Instructions\nGo.\n"


def after(text: str) -> tuple[str, Report]:
    report = Report()
    return rewritten(f"\n{text}\n", report)[0], report


@pytest.mark.parametrize(
    ("declared", "schema"),
    [
        ("x: Some 'thing'", {"type": "string", "description": "Some 'thing'"}),
        (
            'x: "a \\"b\\" \\\\ \\x07 \\u2028 \\U0001F600"',
            {"type": "string", "description": 'a "b" \\ \x07 \u2028 😀'},
        ),
        ("x: |\n    a\n    b\n", {"type": "string", "description": "a\nb"}),
        ("x: some\n    more", {"type": "string", "description": "some more"}),
        ("x:", {"type": "string"}),
        ("x: ''", {"type": "string"}),
        ("x: true", {"type": "string", "description": "true"}),
        ("x: 3", {"type": "string", "description": "3"}),
        ("x: { type: integer }", {"type": "integer"}),
    ],
)
@pytest.mark.parametrize("following", ["", "\n  y: last", "\ntags: []", "\n# end"])
def test_whatever_a_parameter_was_it_becomes_a_schema(declared, schema, following):
    text, report = after(f"params:\n  {declared}{following}")
    assert not report.has_errors
    assert plain(compose(text))["params"]["x"] == schema


def test_braces_stay_braces():
    assert (
        'params: {a: { type: string }, b: { type: string, description: "B" }}'
        in after("params: {a: , b: B}")[0]
    )
    assert plain(compose(after("params:\ntags: []")[0]))["params"] == {}


def test_parameters_get_legal_names_and_it_is_said():
    text, report = after("params:\n  max-files: Cap\n  max_files: Other\n  1st: First")
    assert list(plain(compose(text))["params"]) == ["max_files_2", "max_files", "param_1st"]
    assert [finding.line for finding in report.findings()] == [2, 3, 5]


def test_a_key_without_a_place_becomes_a_comment_and_it_is_said():
    text, report = after("author: me # and you\nnote: |\n  a: b\n\n  c\n# own\ndescription: D")
    assert (
        text
        == "type: workflow\n# author: me # and you\n# note: |\n#   a: b\n# \n#   c\n# own\ndescription: D"
    )
    assert [(one.line, one.is_error) for one in report.findings()] == [(2, False), (3, False)]


def test_prose_that_is_no_yaml_is_put_in_quotes_and_it_is_said():
    text, report = after('description: Do: this\nparams:\n  x: `a` or "b"\n  y: [optional] thing')
    found = plain(compose(text))
    assert found["description"] == "Do: this"
    assert [one["description"] for one in found["params"].values()] == ['`a` or "b"', "[optional] thing"]
    assert [one.line for one in report.findings() if "quotes" in one.message] == [2, 4, 5]


@pytest.mark.parametrize(
    "text", ["tags: [a", "{ description: D }", "- a", "x: &y 1\nz: *y", "params: [a]", "params:\n  x: [a]"]
)
def test_what_cannot_be_read_is_an_error(text):
    assert after(text)[1].has_errors
    made = convert(f"---\n{text}\n---\n{BODY}".encode(), name="a.md")
    assert made.text is None
    assert made.findings


def test_indented_keys_stay_indented():
    made = convert(f"---\n  description: D\n---\n{BODY}".encode(), name="a.md")
    assert (made.text or "").startswith(
        "---\n  type: workflow\n  description: D\n  steps:\n    - id: one\n---\n"
    )
    assert compile((made.text or "").encode(), name="a.md").findings == ()
