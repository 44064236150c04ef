"""Files of earlier grammars and other programs get one finding that explains them."""

from __future__ import annotations

import pytest

from akm.workflow.parsing.compile import compile
from akm.workflow.parsing.findings import Finding

HEADINGS = """\
---
description: Improve an asset.
params:
  ref: Asset to improve
  note: Optional, e.g.: one
---

# Workflow: Improve

## Step: Capture the signal
Step ID: capture

### Instructions
Do it.

### Completion Criteria
- Done.

## Step: Decide
Step ID: decide

### Instructions
Decide.
"""


def only(text: str, name: str = "a.md") -> Finding:
    compiled = compile(text.encode(), name=name)
    assert compiled.document is None
    (finding,) = compiled.findings
    assert finding.code == "old-grammar"
    return finding


def line_of(text: str, part: str) -> int:
    return text[: text.index(part)].count("\n") + 1


@pytest.mark.parametrize(
    "text",
    [
        HEADINGS.replace(", e.g.: one", ""),
        HEADINGS,  # A colon in the prose makes the frontmatter no YAML; the grammar matters more.
        HEADINGS.replace("description:", "type: workflow\ndescription:"),
        HEADINGS[HEADINGS.index("# Workflow") :],
    ],
)
def test_step_headings_are_explained_once_with_the_command_that_converts_them(text):
    finding = only(text)
    assert "`## Step: <title>`" in finding.message
    assert finding.line == line_of(text, "## Step: Capture")
    assert finding.suggestion == "akm workflow convert FILE"


@pytest.mark.parametrize("body", ["## Step 1 — Build\n\nGo.\n", "## build\n\nGo.\n"])
def test_steps_that_require_each_other_are_the_oldest_grammar(body):
    text = (
        "---\nname: x\nsteps:\n  - id: build\n    title: Build\n    requires: []\n"
        f"  - id: ship\n    title: Ship\n    requires: [build]\n---\n\n{body}"
    )
    assert only(text).line == 6


def test_numbered_step_headings_without_sections_are_explained():
    text = "---\nsteps: [{ id: build }]\n---\n\n## Step 1 — Build\n\nGo.\n"
    finding = only(text)
    assert "`## Step <number>`" in finding.message
    assert "### gate" in finding.message
    assert finding.suggestion is None


@pytest.mark.parametrize(
    ("text", "words", "line"),
    [
        ("---\nname: CI\non: push\njobs:\n  a: { steps: [] }\n---\n", "GitHub-shaped", 4),
        ("---\nname: CI\non: [push]\n---\n", "GitHub-shaped", 3),
        ("name: CI\non: push\njobs:\n  a: {}\n", "plain YAML", 1),
        ("version: 2\nname: x\nsteps:\n  - id: a\n", "plain YAML", 1),
        ("---\nversion: 2\nname: x\nsteps: [{ id: a, unit: { instructions: Go } }]\n---\n", "version 2", 2),
    ],
)
def test_yaml_of_other_programs_is_explained(text, words, line):
    finding = only(text)
    assert words in finding.message
    assert "Markdown" in finding.message
    assert finding.line == line


def test_one_step_heading_among_todays_sections_is_a_slip_and_no_grammar():
    text = "---\nsteps: [{ id: tag }]\n---\n\n## tag\n\nT.\n\n## Step: more\n\nM.\n"
    (finding,) = compile(text.encode(), name="a.md").findings
    assert (finding.line, finding.code) == (9, "invalid-markdown-workflow")


def test_a_broken_frontmatter_is_what_to_say_when_only_some_sections_are_step_headings():
    text = "---\nsteps: [\n---\n\n## tag\n\nT.\n\n## Step: more\n\nM.\n"
    (finding,) = compile(text.encode(), name="a.md").findings
    assert "cannot be read" in finding.message


def test_a_step_heading_inside_code_is_no_grammar():
    text = "---\nsteps: [{ id: tag }]\n---\n\n```\n## Step: x\n```\n"
    (finding,) = compile(text.encode(), name="a.md").findings
    assert "no section" in finding.message


def test_a_prose_parameter_is_not_reported_again_where_it_is_used():
    text = "---\nparams: { xs: Some }\nsteps: [{ id: tag, map: { over: params.xs } }]\n---\n\n## tag\n\nT.\n"
    (finding,) = compile(text.encode(), name="a.md").findings
    assert finding.suggestion == '{ type: string, description: "Some" }'


def test_a_prose_parameter_in_todays_grammar_gets_its_schema_suggested():
    text = '---\nparams:\n  ref: The "best" asset\nsteps: [{ id: tag }]\n---\n\n## tag\n\nT.\n'
    (finding,) = compile(text.encode(), name="a.md").findings
    assert finding.line == 3
    assert finding.suggestion == r'{ type: string, description: "The \"best\" asset" }'
