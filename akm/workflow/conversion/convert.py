"""From a workflow file in the heading grammar (`## Step: <title>`) to its text in today's. Writes no file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from akm.workflow.conversion import convert_names, old_steps
from akm.workflow.conversion.convert_frontmatter import rewritten
from akm.workflow.conversion.old_outline import Page
from akm.workflow.conversion.old_steps import OldStep
from akm.workflow.parsing.compile import compile
from akm.workflow.parsing.findings import Finding
from akm.workflow.parsing.headings import headings
from akm.workflow.parsing.old_grammar import CODE, CONVERT
from akm.workflow.parsing.report import Report
from akm.workflow.parsing.scalars import plain_value
from akm.workflow.parsing.source import Source, decode, split
from akm.workflow.wording import clip, naming

_PLACEHOLDER = re.compile(r"\{\{[^{}\n]*\}\}|\bparams\.[A-Za-z_][A-Za-z0-9_]*")
_MOST_NAMED = 8


@dataclass(frozen=True, slots=True)
class Conversion:
    """What became of a file. `text` is None exactly when a finding is an error.

    `notes` are what a person should know about the new text, one sentence each.
    """

    text: str | None
    notes: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    is_changed: bool = False


def convert(raw: bytes, *, name: str) -> Conversion:
    """Write a file in today's grammar; never raises, whatever the bytes are.

    A file of today's stays as it is.
    """
    compiled = compile(raw, name=name)
    if compiled.document is not None:
        return Conversion(raw.decode())
    if not any(finding.suggestion == CONVERT for finding in compiled.findings):
        return Conversion(None, findings=compiled.findings)
    report = Report()
    converted = _converted(raw, report)
    if converted is None or report.has_errors:
        return Conversion(None, findings=_errors(report.findings()))
    text, steps = converted
    faults = _unlike(text, steps, name)
    if faults:
        return Conversion(None, findings=faults)
    notes = (*_said(report.findings()), *_general(text, steps))
    newline = "\r\n" if raw.count(b"\r\n") * 2 > raw.count(b"\n") else "\n"
    return Conversion(text.replace("\n", newline), notes, is_changed=True)


def _converted(raw: bytes, report: Report) -> tuple[str, tuple[OldStep, ...]] | None:
    """Return the new text, and the steps as they are to be read in it."""
    lines = decode(raw, report)
    if lines is None:
        return None
    has_frontmatter = lines[0].rstrip() == "---"
    source = split(lines, report) if has_frontmatter else Source(("---", "---", *lines), 3)
    if source is None:
        return None
    first_line = source.body_line if has_frontmatter else 1
    head, indent = rewritten(source.frontmatter, report)
    preamble, old = old_steps.read(Page(source.body, headings(source.body), first_line, report))
    steps = tuple(_renamed(old, report))
    parts = ["\n".join(["---", head, *_listed(steps, indent), "---"]), preamble, *map(_section, steps)]
    return "\n\n".join(part for part in parts if part) + "\n", steps


def _renamed(steps: Sequence[OldStep], report: Report) -> Iterator[OldStep]:
    ids = convert_names.step_ids([step.id for step in steps])
    for step in steps:
        new = ids[step.id]
        if new != step.id:
            message = f"The step `{clip(step.id)}` is called `{new}` now."
            report.warn(step.line, message, code=CODE)
        yield OldStep(step.title, new, step.line, f"**{step.title}**\n\n{step.instructions}", step.criteria)


def _listed(steps: Sequence[OldStep], indent: str) -> Iterator[str]:
    yield f"{indent}steps:"
    previous = None
    for step in steps:
        quoted = step.id if isinstance(plain_value(step.id), str) else f'"{step.id}"'
        yield f"{indent}  - id: {quoted}"
        if previous is not None:
            yield f"{indent}    inputs: [steps.{previous}.output]"
        previous = step.id


def _section(step: OldStep) -> str:
    gate = f"\n\n### gate\n\n{step.criteria}" if step.criteria else ""
    return f"## {step.id}\n\n{step.instructions}{gate}"


def _unlike(text: str, steps: Sequence[OldStep], name: str) -> tuple[Finding, ...]:
    """Read what was written: what keeps it from being a workflow, or being the same one."""
    compiled = compile(text.encode(), name=name)
    if compiled.document is None:
        return _errors(compiled.findings, "In the converted text: ")
    for read, meant in zip(compiled.document.steps, steps, strict=True):
        if (read.instructions, "".join(read.gate.criteria)) != (meant.instructions, meant.criteria):
            message = (
                f"The step `{clip(meant.title)}` would be cut elsewhere: close its code blocks and comments."
            )
            return (Finding(meant.line, CODE, message),)
    return ()


def _errors(findings: Sequence[Finding], prefix: str = "") -> tuple[Finding, ...]:
    """Return what keeps a file from being converted, under the one code that says so."""
    return tuple(replace(one, code=CODE, message=prefix + one.message) for one in findings if one.is_error)


def _said(findings: Sequence[Finding]) -> Iterator[str]:
    return (f"Line {one.line}: {one.message}" for one in findings)


def _general(text: str, steps: Sequence[OldStep]) -> Iterator[str]:
    if len(steps) > 1:
        yield (
            "Each step after the first gets the output of the step before it (`inputs`): "
            "add the outputs of earlier ones where it needs them."
        )
    found = list(dict.fromkeys(clip(match) for match in _PLACEHOLDER.findall(text)))
    if found:
        more = " and others" if len(found) > _MOST_NAMED else ""
        yield (
            f"Not replaced by a value: {naming(found[:_MOST_NAMED])}{more}; "
            "parameters are attached to each prompt, and never put into its text."
        )
