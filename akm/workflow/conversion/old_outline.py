"""The outline of a body in the heading grammar: which headings it may have, and where. No text is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from akm.workflow.parsing.headings import Heading
from akm.workflow.parsing.old_grammar import CODE, step_title
from akm.workflow.parsing.report import Report
from akm.workflow.parsing.sections import looks_like_gate
from akm.workflow.wording import clip

INSTRUCTIONS, CRITERIA = "### Instructions", "### Completion Criteria"
_PARTS = {"instructions": INSTRUCTIONS, "completion criteria": CRITERIA}


@dataclass(frozen=True, slots=True)
class Page:
    """A body with its headings, and the sheet for its faults; `first_line` is the file line of `lines[0]`."""

    lines: Sequence[str]
    marks: Sequence[Heading]
    first_line: int
    report: Report

    def error(self, index: int, message: str) -> None:
        """Note a fault at the line of that index."""
        self.report.error(self.first_line + index, message, code=CODE)

    def warn(self, index: int, message: str) -> None:
        """Note what a person should know about the line of that index."""
        self.report.warn(self.first_line + index, message, code=CODE)


def part(mark: Heading) -> str:
    """Return which part of a step a level-3 heading begins, as it is spelled; empty when none."""
    return _PARTS.get(mark.text.strip(" :").lower(), "") if mark.level == 3 else ""


def check_top(page: Page, first: int) -> None:
    """Note every heading of level 1 or 2 that has no place; `first` is the index of the first step's."""
    titles = 0
    for mark in page.marks:
        if mark.level == 2 and not step_title(mark):
            shown = clip(mark.text)
            advice = f"write `## Step: {shown}` if it is one, or `### {shown}` inside the instructions"
            page.error(mark.index, f"`## {shown}` is no step: {advice}.")
        if mark.level == 1:
            titles += 1
            if titles > 1 or mark.index > first:
                page.error(mark.index, "A file has one level-1 heading, its title: use `####` inside a step.")
    known = {mark.index for mark in page.marks}
    for index, text in enumerate(page.lines):
        if index not in known and text.startswith("## Step:"):
            page.warn(index, "This looks like the heading of a step, but is inside code: it stays text.")


def check_parts(page: Page, inside: Sequence[Heading]) -> None:
    """Note the level-3 headings of one step that are no part of it, or a part for the second time."""
    current = ""
    seen: set[str] = set()
    for mark in inside:
        shown = f"`### {clip(mark.text)}`"
        if found := part(mark):
            current = found
            if found in seen:
                page.error(mark.index, f"The step has a second {shown}: put everything below one.")
            seen.add(found)
        elif current != INSTRUCTIONS:
            advice = f"a step has `{INSTRUCTIONS}` and `{CRITERIA}`; move it into one of them as `####`"
            page.error(mark.index, f"{shown} is no section of a step: {advice}.")
        elif looks_like_gate(mark):
            page.warn(mark.index, f"{shown} is now of level 4, since `### gate` begins a rubric.")
        else:
            page.warn(mark.index, f"{shown} stays a heading inside the instructions.")
