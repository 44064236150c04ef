"""Files of the heading grammar become workflows of today's, and none of their text is lost."""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path

import pytest

from akm.workflow.conversion.convert import Conversion, convert
from akm.workflow.parsing.compile import compile
from akm.workflow.parsing.document import Document

DATA = Path(__file__).parents[3] / "shared" / "data" / "workflows-old-grammar"
REAL = sorted(path for path in DATA.glob("*.md") if path.name != "typed-route.md")

SMALL = """\
---
description: Improve an asset. # for now
tags: [a, b]
params:
  ref: Asset to improve # which one
  # The next one is optional.
  note: >-
    Optional,
    mostly

---

# Workflow: Improve — naïve 😀

Some words first.

## Step: Capture the signal
Step ID: capture

### Instructions
Do it for `params.ref` in {{ dir }}:

```bash
# no heading
## Step: none
```

#### Details
   1. ünïcode

### Completion Criteria
- Done.
- All of it.

## Step: Decide
Step ID: decide

### Instructions
Decide.
"""
ONE = "## Step: One\nStep ID: one\n\n### Instructions\nGo.\n"


def converted(text: str | bytes) -> tuple[Conversion, Document]:
    """Convert a file whose result is sound, and compile the result."""
    made = convert(text if isinstance(text, bytes) else text.encode(), name="a.md")
    assert made.findings == ()
    assert made.text is not None
    compiled = compile(made.text.encode(), name="a.md")
    assert compiled.findings == ()
    assert compiled.document is not None
    return made, compiled.document


def body(text: str) -> str:
    """Return what stands below the frontmatter."""
    return re.split(r"^---\s*$", text, maxsplit=2, flags=re.MULTILINE)[2] if text.startswith("---") else text


def words(text: str) -> list[str]:
    """List the words of an old body without the lines that only give it its structure."""
    lines = re.sub(r"^(### (Instructions|Completion Criteria)|Step ID:.*)\s*$", "", text, flags=re.MULTILINE)
    return re.sub(r"^## Step:", "", lines, flags=re.MULTILINE).split()


def is_within(old: list[str], new: list[str]) -> bool:
    """Tell whether all the words stand in the new text in their order."""
    rest = iter(new)
    return all(word in rest for word in old)


def assert_nothing_lost(old: str, new: str) -> None:
    # The title is in bold now; no other word changed.
    plain = body(new).replace("**", "")
    assert is_within(words(body(old).replace("**", "")), plain.split())


@pytest.mark.skipif(not DATA.is_dir(), reason="real people's files are not at hand")
@pytest.mark.parametrize("path", REAL, ids=lambda path: path.stem)
def test_a_real_file_converts_and_keeps_every_word_in_order(path):
    old = path.read_text()
    made, document = converted(path.read_bytes())
    assert_nothing_lost(old, made.text or "")
    ids = re.findall(r"^Step ID: (.*)$", old, re.MULTILINE)
    assert [step.id for step in document.steps] == ids
    assert all(step.gate.criteria for step in document.steps)
    params = compile_params(old)
    assert document.params == {
        name: {"type": "string", "description": prose} for name, prose in params.items()
    }


def compile_params(text: str) -> dict[str, str]:
    block = re.search(r"^params:\n((?:  .*\n)+)", text, re.MULTILINE)
    assert block is not None
    return dict(line.strip().split(": ", 1) for line in block[1].splitlines())


@pytest.mark.parametrize("path", REAL, ids=lambda path: path.stem)
def test_rubrics_are_the_criteria_word_for_word(path):
    old = path.read_text()
    wanted = re.findall(r"^### Completion Criteria\n(.*?)\n*(?=^## |\Z)", old, re.MULTILINE | re.DOTALL)
    _, document = converted(path.read_bytes())
    assert list(chain.from_iterable(step.gate.criteria for step in document.steps)) == wanted


def test_a_file_keeps_its_frontmatter_its_comments_and_its_code():
    made, document = converted(SMALL)
    text = made.text or ""
    assert_nothing_lost(SMALL, text)
    assert text.startswith(
        """\
---
type: workflow
description: Improve an asset. # for now
tags: [a, b]
params:
  ref: { type: string, description: "Asset to improve" } # which one
  # The next one is optional.
  note: { type: string, description: "Optional, mostly" }
steps:
  - id: capture
  - id: decide
    inputs: [steps.capture.output]
---

# Workflow: Improve — naïve 😀

Some words first.

## capture

**Capture the signal**

Do it for"""
    )
    assert document.steps[0].gate.criteria == ("- Done.\n- All of it.",)
    assert document.steps[1].gate.criteria == ()
    assert "## Step: none" in document.steps[0].instructions


def test_converting_twice_changes_nothing():
    made, _ = converted(SMALL)
    again, _ = converted(made.text or "")
    assert (again.text, again.is_changed, again.notes) == (made.text, False, ())


@pytest.mark.parametrize(
    ("raw", "newline"),
    [
        (SMALL.replace("\n", "\r\n").encode(), "\r\n"),
        (b"\xef\xbb\xbf" + SMALL.encode(), "\n"),
        (SMALL.rstrip().encode(), "\n"),
    ],
)
def test_line_ends_are_kept_and_other_accidents_do_not_matter(raw, newline):
    made, _ = converted(raw)
    assert made.text == (converted(SMALL)[0].text or "").replace("\n", newline)


def test_a_file_without_frontmatter_gets_one():
    made, document = converted(f"Words.\n\n{ONE}")
    assert (made.text or "").startswith("---\ntype: workflow\nsteps:\n  - id: one\n---\n\nWords.\n")
    assert document.steps[0].instructions == "**One**\n\nGo."


def test_ids_are_made_legal_and_stay_unique():
    steps = [ONE.replace("one", step_id) for step_id in ("a.b", "a-b", "2nd", "true", "é", "gate")]
    made, document = converted("\n".join(steps))
    assert [step.id for step in document.steps] == ["a-b-2", "a-b", "step-2nd", "true", "step", "gate"]
    assert document.steps[3].inputs == ("steps.step-2nd.output",)
    assert "Line 1: The step `a.b` is called `a-b-2` now." in made.notes


def test_a_gate_heading_inside_instructions_is_no_gate_afterwards():
    made, document = converted(ONE + "\n### gate\nA.\n\n### Gates:\nB.\n\n### More\nC.\n")
    assert document.steps[0].gate.criteria == ()
    assert (
        document.steps[0].instructions == "**One**\n\nGo.\n\n#### gate\nA.\n\n#### Gates:\nB.\n\n### More\nC."
    )
    assert [note[:7] for note in made.notes] == ["Line 7:", "Line 10", "Line 13"]


def test_text_above_the_instructions_and_parts_in_another_order_are_kept():
    made, document = converted(
        "## Step: One\nAbove.\nStep ID: one\n\n### completion criteria:\n- Done.\n\n### Instructions\nGo.\n"
    )
    assert document.steps[0].instructions == "**One**\n\nAbove.\n\nGo."
    assert document.steps[0].gate.criteria == ("- Done.",)
    assert made.notes[0].startswith("Line 1: The text above `### Instructions`")


def test_notes_say_what_a_person_should_know():
    notes = converted(SMALL)[0].notes
    assert (
        notes[0] == "Line 4: Declared as optional text now: `ref`, `note`; give a better type where one fits."
    )
    assert "Line 25: This looks like the heading of a step" in notes[1]
    assert "output of the step before it" in notes[2]
    assert "`params.ref`, `{{ dir }}`" in notes[3]


def test_every_fault_of_a_broken_file_is_told_with_its_line():
    text = (
        "---\ntags: 1\nsteps: []\n---\n# T\n\n## Step: A\n\n### Instructions\nGo.\n\n## Step: B\nStep ID: b\n"
        "\n### Notes\nN.\n\n### Instructions\nGo.\n\n### Instructions\nGo.\n\n## Step: C\nStep ID: b\n"
        "\n### Instructions\nGo.\n\n## Step: D\nStep ID: d\n\n## Other\n\n# Again\n"
    )
    made = convert(text.encode(), name="a.md")
    assert made.text is None
    assert [(one.line, one.message.partition(":")[0]) for one in made.findings] == [
        (2, "`tags` must be a list, but is a number."),
        (3, "`steps` is of today's grammar, and the body is not"),
        (7, "The step `A` has no line `Step ID"),
        (15, "`### Notes` is no section of a step"),
        (21, "The step has a second `### Instructions`"),
        (24, "The step `C` has the id `b` of the step on line 12; ids are unique."),
        (30, "The step `D` has no text under `### Instructions`."),
        (33, "`## Other` is no step"),
        (35, "A file has one level-1 heading, its title"),
    ]


def test_a_block_of_code_that_would_swallow_the_rubric_is_refused():
    text = "## Step: One\nStep ID: one\n\n### Completion Criteria\n- Done.\n\n### Instructions\n```\nGo.\n"
    (finding,) = convert(text.encode(), name="a.md").findings
    assert (finding.line, "close its code blocks" in finding.message) == (1, True)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.md", "---\nsteps:\n  - { id: a, title: A, requires: [] }\n---\n## Step 1 — A\n\nGo.\n", "oldest"),
        ("a.md", "## Step 1 — A\n\nGo.\n", "`## Step <number>`"),
        ("a.yaml", "version: 2\nname: x\nsteps: []\n", "no Markdown file"),
        ("a.md", "version: 2\nname: x\nsteps: []\n", "plain YAML"),
        ("a.md", "# Prose\n", "frontmatter"),
    ],
)
def test_what_cannot_be_converted_is_told_in_one_finding(name, text, words):
    made = convert(text.encode(), name=name)
    (finding,) = made.findings
    assert made.text is None
    assert words in finding.message
