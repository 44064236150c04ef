"""The steps of a body in the heading grammar: `## Step: <title>`, `Step ID: <id>` and the two parts below.

Faults are noted as errors, and what cannot be kept just as it is as warnings. Today's grammar is not here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from akm.workflow.conversion.old_outline import CRITERIA, INSTRUCTIONS, Page, check_parts, check_top, part
from akm.workflow.parsing.headings import Heading
from akm.workflow.parsing.old_grammar import step_title
from akm.workflow.parsing.sections import looks_like_gate, trimmed
from akm.workflow.wording import clip

_STEP_ID = re.compile(r" {0,3}Step ID\s*:\s*(\S.*?)\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class OldStep:
    """One step as written. `id` is any text that is not blank; `criteria` is empty when there are none."""

    title: str
    id: str
    line: int
    instructions: str
    criteria: str


def read(page: Page) -> tuple[str, tuple[OldStep, ...]]:
    """Return the text before the first step, and the steps without those whose faults were noted."""
    starts = [mark for mark in page.marks if step_title(mark)]
    check_top(page, starts[0].index)
    bounds = [*(mark.index for mark in starts), len(page.lines)]
    found = [_step(page, start, end) for start, end in zip(starts, bounds[1:], strict=True)]
    steps = tuple(step for step in found if step is not None)
    _check_ids(page, steps)
    return trimmed(page.lines[: bounds[0]]), steps


def _check_ids(page: Page, steps: Sequence[OldStep]) -> None:
    lines: dict[str, int] = {}
    for step in steps:
        first = lines.setdefault(step.id, step.line)
        if first != step.line:
            message = f"has the id `{clip(step.id)}` of the step on line {first}; ids are unique."
            page.error(step.line - page.first_line, f"The step `{clip(step.title)}` {message}")


def _step(page: Page, start: Heading, end: int) -> OldStep | None:
    inside = [mark for mark in page.marks if mark.level == 3 and start.index < mark.index < end]
    cuts = [mark for mark in inside if part(mark)]
    bounds = [*(mark.index for mark in cuts), end]
    check_parts(page, inside)
    step_id, lead = _head(page, start, bounds[0])
    parts: dict[str, str] = {}
    for cut, (first, last) in zip(cuts, pairwise(bounds), strict=True):
        parts.setdefault(part(cut), trimmed(_without_gates(page, first + 1, last)))
    title = step_title(start)
    if not parts.get(INSTRUCTIONS):
        page.error(start.index, f"The step `{clip(title)}` has no text under `{INSTRUCTIONS}`.")
    instructions = "\n\n".join(text for text in (lead, parts.get(INSTRUCTIONS)) if text)
    line = page.first_line + start.index
    return OldStep(title, step_id, line, instructions, parts.get(CRITERIA, "")) if step_id else None


def _head(page: Page, start: Heading, end: int) -> tuple[str | None, str]:
    """Find the id of a step below its heading, and the text that stands there beside it."""
    lines = list(page.lines[start.index + 1 : end])
    for index, text in enumerate(lines):
        if match := _STEP_ID.fullmatch(text):
            lead = trimmed([*lines[:index], *lines[index + 1 :]])
            if lead:
                message = f"The text above `{INSTRUCTIONS}` is now the beginning of the instructions."
                page.warn(start.index, message)
            return match[1], lead
    message = f"The step `{clip(step_title(start))}` has no line `Step ID: <id>` below its heading."
    page.error(start.index, message)
    return None, ""


def _without_gates(page: Page, start: int, end: int) -> list[str]:
    """Return lines, with headings a level deeper that would begin the rubric in today's grammar."""
    lines = list(page.lines[start:end])
    for mark in page.marks:
        if start <= mark.index < end and mark.level == 3 and looks_like_gate(mark):
            lines[mark.index - start] = lines[mark.index - start].replace("###", "####", 1)
    return lines
