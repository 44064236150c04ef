"""The body: which lines are headings, and which text belongs to which step."""

from __future__ import annotations

import pytest

from akm.workflow.parsing.compile import Compiled, compile
from akm.workflow.parsing.headings import headings
from akm.workflow.parsing.sections import read


def compiled(body: str, steps: str = "[{ id: tag }, { id: publish }]") -> Compiled:
    return compile(f"---\nsteps: {steps}\n---\n{body}".encode(), name="a.md")


def messages(body: str, steps: str = "[{ id: tag }]") -> list[tuple[int, str, str | None]]:
    return [(it.line, it.message, it.suggestion) for it in compiled(body, steps).findings]


def test_a_section_keeps_its_inner_bytes_and_loses_blank_lines_at_both_ends():
    lines = ["Intro.", "", "## tag", "", "", "  two  ", "", "", "\tthree\t", "   ", "## publish", "P."]
    body = read(lines, headings(lines), 10)
    assert body.preamble == "Intro."
    tag, publish = body.sections
    assert tag.instructions == "  two  \n\n\n\tthree\t"
    assert (tag.title, tag.line, tag.end) == ("tag", 12, 18)
    assert (publish.instructions, publish.line, publish.end) == ("P.", 20, 21)


def test_a_level_one_heading_ends_a_section_and_its_text_is_advised_about():
    found = compiled("## tag\n\nT.\n\n# Part two\n\nLost.\n\n## publish\n\nP.\n")
    assert found.document is not None
    assert [step.instructions for step in found.document.steps] == ["T.", "P."]
    (warning,) = found.findings
    assert (warning.line, warning.code, warning.is_error) == (8, "text-outside-sections", False)


def test_level_three_headings_stay_inside():
    found = compiled("## tag\n\nT.\n\n### How\n\nSo.\n\n## publish\nP.\n")
    assert found.document is not None
    assert found.document.steps[0].instructions == "T.\n\n### How\n\nSo."
    assert found.findings == ()


@pytest.mark.parametrize(
    "hidden",
    [
        "```\n## no\n```",
        "~~~~ md\n```\n## no\n~~~~",
        "    ## no",
        "> ## no",
        "- item\n\n  ## no",
        "1. item\n   ```\n   ## no\n   ```",
        "<!--\n## no\n-->",
        "<div>\n## no\n</div>",
        "no\n---",
        "no\n===",
        "#no",
        "\\## no",
        "####### no",
    ],
)
def test_what_only_looks_like_a_heading_is_text(hidden):
    found = compiled(f"## tag\n\nT.\n\n{hidden}\n\n## publish\n\nP.\n")
    assert found.findings == ()
    assert found.document is not None
    assert found.document.steps[0].instructions == f"T.\n\n{hidden}"


@pytest.mark.parametrize("heading", ["## tag", "  ## tag", "## tag ##", "##\ttag", "##   tag   "])
def test_every_spelling_of_a_level_two_heading_opens_a_section(heading):
    assert messages(f"{heading}\n\nT.\n") == []


def test_a_heading_right_after_a_list_or_a_paragraph_counts():
    assert compiled("## tag\n- T.\n## publish\nP.\n").findings == ()


def test_an_unknown_section_suggests_the_nearest_step_or_a_deeper_heading():
    ((line, message, suggestion),) = messages("## tag\n\nT.\n\n## tags\n\nX.\n")
    assert line == 8
    assert "`### tags`" in message
    assert suggestion == "## tag"


def test_a_gate_one_level_too_high_is_told_its_level():
    ((_, _, suggestion),) = messages("## tag\n\nT.\n\n## Gate\n\n- ok\n")
    assert suggestion == "### gate"


def test_a_second_section_is_an_error_that_names_the_first():
    ((line, message, _),) = messages("## tag\n\nT.\n\n## tag\n\nT.\n")
    assert line == 8
    assert "line 4" in message


def test_a_missing_section_and_an_empty_one_are_told_apart():
    (missing, empty) = messages("## publish\n\n \t\n", "[{ id: tag }, { id: publish }]")
    assert (missing[0], missing[2]) == (2, "## tag")
    assert "no section" in missing[1]
    assert empty[0] == 4
    assert "is empty" in empty[1]


@pytest.mark.parametrize("body", ["```\n## tag\n", "### tag\n\nT.\n", "# tag\n\nT.\n", "- ## Tag\n"])
def test_a_missing_section_points_at_the_line_that_was_meant(body):
    line = 3 + next(number for number, text in enumerate(body.split("\n"), 1) if "tag" in text.lower())
    assert any("no section" in message and f"line {line} " in message for _, message, _ in messages(body))


def test_a_rubric_is_one_criterion_up_to_the_end_of_the_section():
    found = compiled("## tag\n\nT.\n\n### gate\n\n- one\n- two\n\n### More\n\nthree\n\n## publish\nP.")
    assert found.document is not None
    tag = found.document.steps[0]
    assert tag.instructions == "T."
    assert tag.gate.criteria == ("- one\n- two\n\n### More\n\nthree",)


def test_a_blank_rubric_is_no_gate():
    found = compiled("## tag\n\nT.\n\n### gate\n\n \n", "[{ id: tag }]")
    assert found.document is not None
    assert found.document.steps[0].gate.criteria == ()


def test_a_second_gate_is_an_error():
    ((line, message, _),) = messages("## tag\n\nT.\n\n### gate\n\n- one\n\n### gate\n\n- two\n")
    assert line == 12
    assert "second `### gate`" in message


@pytest.mark.parametrize("heading", ["### Gate", "### gate:", "### **gate**", "### Gates"])
def test_a_heading_that_is_nearly_a_gate_is_advised_about(heading):
    found = compiled(f"## tag\n\nT.\n\n{heading}\n\n- one\n", "[{ id: tag }]")
    assert found.document is not None
    assert found.document.steps[0].gate.criteria == ()
    (warning,) = found.findings
    assert (warning.line, warning.code, warning.suggestion) == (8, "gate-heading", "### gate")


def test_a_section_without_instructions_is_empty_even_with_a_rubric():
    ((_, message, _),) = messages("## tag\n\n### gate\n\n- one\n")
    assert "is empty" in message


@pytest.mark.parametrize(("heading", "part"), [("", "instructions"), ("### gate\n", "rubric")])
def test_each_part_has_its_limit(heading, part):
    limit = 256 * 1024
    assert messages(f"## tag\nT.\n{heading}" + "x" * (limit - 3)) == []
    ((_, message, _),) = messages(f"## tag\nT.\n{heading}" + "é" * (limit // 2 + 1))
    assert f"The {part}" in message
    assert "256 KiB" in message


def test_a_route_needs_no_section_and_may_have_an_empty_one():
    steps = "[{ id: pick, route: { input: params.x, when: [{ match: a, step: tag }] } }, { id: tag }]"
    assert messages("## tag\n\nT.\n", steps) == []
    assert messages("## pick\n\n## tag\n\nT.\n", steps) == []


def test_the_preamble_is_kept():
    found = compiled("\n# Title\n\nWhy.\n\n## tag\nT.\n", "[{ id: tag }]")
    assert found.document is not None
    assert found.document.preamble == "# Title\n\nWhy."
