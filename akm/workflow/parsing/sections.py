"""The body of a workflow file cut into preamble and sections. Which step a section is for is not here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from akm.workflow.parsing.headings import Heading


@dataclass(frozen=True, slots=True)
class Section:
    """The text under one level-2 heading. Lines are the file's; `gates` are those of its gate headings.

    `near_gates` are the lines of level-3 headings that look like a gate heading without being one.
    """

    title: str
    line: int
    end: int
    instructions: str
    rubric: str
    gates: tuple[int, ...] = ()
    near_gates: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Body:
    """The whole body. `strays` are the lines of level-1 headings whose text no section holds."""

    preamble: str
    sections: tuple[Section, ...]
    strays: tuple[int, ...] = ()


def read(lines: Sequence[str], found: Sequence[Heading], first_line: int) -> Body:
    """Cut the body at the headings found in it; `first_line` is the file line of `lines[0]`."""
    breaks = [position for position, heading in enumerate(found) if heading.level <= 2]
    first = next((heading.index for heading in found if heading.level == 2), len(lines))
    sections = []
    strays = []
    for position, following in pairwise([*breaks, len(found)]):
        heading = found[position]
        end = found[following].index if following < len(found) else len(lines)
        if heading.level == 2:
            inside = [it for it in found[position + 1 : following] if it.level == 3]
            sections.append(_section(lines, heading, end, inside, first_line))
        elif heading.index > first and trimmed(lines[heading.index + 1 : end]):
            strays.append(first_line + heading.index)
    return Body(trimmed(lines[:first]), tuple(sections), tuple(strays))


def _section(
    lines: Sequence[str], heading: Heading, end: int, inside: Sequence[Heading], first_line: int
) -> Section:
    gates = [it.index for it in inside if it.text == "gate"]
    near = [it.index for it in inside if it.text != "gate" and looks_like_gate(it)]
    prose_end = gates[0] if gates else end
    last = max((index for index in range(heading.index, end) if lines[index].strip()), default=heading.index)
    return Section(
        heading.text,
        first_line + heading.index,
        first_line + last,
        trimmed(lines[heading.index + 1 : prose_end]),
        trimmed(lines[prose_end + 1 : end]),
        tuple(first_line + index for index in gates),
        tuple(first_line + index for index in near),
    )


def looks_like_gate(heading: Heading) -> bool:
    """Tell whether a heading is the gate's, or close enough to be taken for it."""
    return heading.text.strip(" :.*_`").lower() in ("gate", "gates")


def trimmed(lines: Sequence[str]) -> str:
    """Join lines with LF, without the blank ones at both ends."""
    start, end = 0, len(lines)
    while start < end and not lines[start].strip():
        start += 1
    while end > start and not lines[end - 1].strip():
        end -= 1
    return "\n".join(lines[start:end])
