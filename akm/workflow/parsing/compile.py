"""From the bytes of a workflow file to a Document, with every fault of its author collected on the way."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from akm.workflow.parsing.assembly import assemble
from akm.workflow.parsing.checks import check_loops, check_references
from akm.workflow.parsing.document import Document
from akm.workflow.parsing.fields import Field
from akm.workflow.parsing.findings import Finding
from akm.workflow.parsing.frontmatter import Node, compose
from akm.workflow.parsing.grammar.outline import Outline, outline
from akm.workflow.parsing.headings import Heading, headings
from akm.workflow.parsing.old_grammar import (
    consists_of_step_headings,
    recognise,
    step_headings,
    without_frontmatter,
)
from akm.workflow.parsing.report import Report
from akm.workflow.parsing.route_checks import check_routes
from akm.workflow.parsing.sections import read
from akm.workflow.parsing.source import Source, check_name, decode, split
from akm.workflow.parsing.yaml_faults import YamlFault
from akm.workflow.template import check_stub
from akm.workflow.wording import clip
from akm.workflow.working_directory import WorkingDirectoryFault, verify


@dataclass(frozen=True, slots=True)
class Compiled:
    """What became of a file. `document` is None exactly when a finding is an error."""

    document: Document | None
    findings: tuple[Finding, ...]


def compile(raw: bytes, *, name: str, root: Path | None = None) -> Compiled:
    """Compile a workflow file; never raises, whatever the bytes are.

    `name` is the file's name as shown; its base name without extension is the title. With `root`, the
    workspace root, working directories are checked on the disk too. Findings come in file order.
    """
    report = Report()
    check_name(name, report)
    document = None if report.has_errors else _document(raw, PurePath(name).stem, root, report)
    return Compiled(None if report.has_errors else document, report.findings())


def _document(raw: bytes, title: str, root: Path | None, report: Report) -> Document | None:
    source = _source(raw, report)
    if source is None:
        return None
    marks = headings(source.body)
    top = _frontmatter(source, marks, report)
    if top is None:
        return None
    found = outline(Field(top, report))
    body = read(source.body, marks, source.body_line)
    steps = assemble(found, source, body, report)
    check_references(found)
    check_routes(found)
    check_loops(steps, report)
    check_stub(source.lines, report)
    if root is not None:
        _check_directories(found, root)
    return Document(
        title,
        steps,
        found.description,
        found.params,
        found.defaults,
        found.budget,
        body.preamble,
        hashlib.sha256(raw).hexdigest(),
    )


def _source(raw: bytes, report: Report) -> Source | None:
    lines = decode(raw, report)
    if lines is None:
        return None
    if lines[0].rstrip() != "---" and without_frontmatter(lines, report):
        return None
    return split(lines, report)


def _frontmatter(source: Source, marks: Sequence[Heading], report: Report) -> Node | None:
    """Read the frontmatter of a workflow in today's grammar; None after noting what the file is instead."""
    try:
        top = compose(source.frontmatter)
    except YamlFault as fault:
        # Prose parameters of the older grammar often are no YAML; the grammar is what to say then.
        if consists_of_step_headings(marks) and step_headings(source, marks, report):
            return None
        report.error(max(fault.line, 1), f"The frontmatter cannot be read: {fault.reason}.")
        return None
    kind = top.value.get("type") if isinstance(top.value, dict) else None
    if kind is not None and isinstance(kind.value, str) and kind.value.strip() != "workflow":
        report.error(
            kind.line,
            f"This file is not a workflow: its `type` is `{clip(kind.value)}`, not `workflow`; "
            "write `type: workflow` if it is meant to be one.",
            code="not-a-workflow",
        )
        return None
    return None if recognise(top, source, marks, report) else top


def _check_directories(found: Outline, root: Path) -> None:
    for draft in found.drafts:
        for field, unit in (
            (draft.field.find("unit", "exec", "cwd"), draft.step.unit),
            (draft.field.find("map", "unit", "exec", "cwd"), draft.step.map and draft.step.map.unit),
        ):
            if field is None or not unit or unit.exec is None or unit.exec.cwd is None:
                continue
            try:
                verify(root, unit.exec.cwd)
            except WorkingDirectoryFault as fault:
                field.fail(fault.reason, code=fault.code)
