"""Joins what the frontmatter and the body say about each step, and notes where the two do not fit."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import replace

from akm.workflow.parsing.document import Step
from akm.workflow.parsing.grammar.outline import Outline
from akm.workflow.parsing.grammar.step import Draft
from akm.workflow.parsing.report import Report
from akm.workflow.parsing.sections import Body, Section
from akm.workflow.parsing.source import Source
from akm.workflow.wording import clip

MAX_SECTION_BYTES = 256 * 1024
_LONGEST_HEADING = 200
_NEAR_HEADING = re.compile(r"[\s>*+-]*#{1,6}\s*`?([A-Za-z_][A-Za-z0-9_-]*)`?\s*#*\s*")


def assemble(outline: Outline, source: Source, body: Body, report: Report) -> tuple[Step, ...]:
    """Give every step its prose and rubric; steps whose section is faulty come back without."""
    sections = _by_step(outline, body, report)
    for line in body.strays:
        report.warn(
            line,
            "The text below this level-1 heading belongs to no step and is never dispatched: "
            "use a heading of level 3 or deeper inside a section.",
            code="text-outside-sections",
        )
    meant = _near_headings(source)
    return tuple(_joined(draft, sections.get(draft.step.id), meant, report) for draft in outline.drafts)


def _by_step(outline: Outline, body: Body, report: Report) -> dict[str, Section]:
    ids = {draft.step.id: None for draft in outline.drafts}
    sections: dict[str, Section] = {}
    for section in body.sections:
        if section.title not in ids:
            # With a step missing from the list, its section would only repeat what was noted about its id.
            if outline.is_complete:
                _unknown(section, ids, report)
        elif section.title in sections:
            first = sections[section.title].line
            report.error(
                section.line,
                f"Step `{section.title}` has a second section; the first is on line {first}. Keep one.",
            )
        else:
            sections[section.title] = section
    return sections


def _unknown(section: Section, ids: Collection[str], report: Report) -> None:
    title = clip(section.title)
    if title.lower() == "gate":
        near: str | None = "### gate"
    else:
        near = report.nearest(section.title, ids)
    report.error(
        section.line,
        f"`## {title}` names no step of the frontmatter: name a step, or write `### {title}` "
        "if it is a heading inside a section.",
        suggestion=near if near is None or near.startswith("#") else f"## {near}",
    )


def _joined(draft: Draft, section: Section | None, meant: Mapping[str, int], report: Report) -> Step:
    step = draft.step
    if section is None:
        if step.route is None:
            _missing(step, meant, report)
        return step
    if not section.instructions and step.route is None:
        report.error(
            section.line,
            f"The section of step `{step.id}` is empty: write below `## {step.id}` what the step is to do.",
        )
    _check_gates(section, report)
    _check_size(section, "instructions", section.instructions, report)
    _check_size(section, "rubric", section.rubric, report)
    gate = replace(step.gate, criteria=(section.rubric,) if section.rubric else ())
    return replace(step, instructions=section.instructions, gate=gate, start=section.line, end=section.end)


def _near_headings(source: Source) -> dict[str, int]:
    """Map a lower-case name to the first line that looks like its heading, whatever the level or place."""
    found: dict[str, int] = {}
    for index, text in enumerate(source.body):
        # Longer lines hold no name, and the pattern must not walk them.
        if len(text) <= _LONGEST_HEADING and (match := _NEAR_HEADING.fullmatch(text)):
            found.setdefault(match[1].lower(), source.body_line + index)
    return found


def _missing(step: Step, meant: Mapping[str, int], report: Report) -> None:
    line = meant.get(step.id.lower())
    where = "code, a quote or a list"
    hint = f"; line {line} is no level-2 heading of that name, or stands inside {where}" if line else ""
    report.error(step.line, f"Step `{step.id}` has no section in the body{hint}.", suggestion=f"## {step.id}")


def _check_gates(section: Section, report: Report) -> None:
    for line in section.gates[1:]:
        report.error(
            line, f"The section `{section.title}` has a second `### gate`: put the whole rubric under one."
        )
    for line in section.near_gates:
        report.warn(
            line,
            "This heading is not the gate, so the text below it is instructions: "
            "the gate's heading is exactly `### gate`.",
            suggestion="### gate",
            code="gate-heading",
        )


def _check_size(section: Section, part: str, text: str, report: Report) -> None:
    size = len(text.encode())
    if size > MAX_SECTION_BYTES:
        report.error(
            section.line,
            f"The {part} of step `{section.title}` take {size} bytes; "
            f"at most {MAX_SECTION_BYTES} (256 KiB) are allowed.",
        )
