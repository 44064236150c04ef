"""Recognises workflow files of earlier grammars and other programs, and says once what to change."""

from __future__ import annotations

import re
from collections.abc import Sequence

from akm.workflow.parsing.frontmatter import Node
from akm.workflow.parsing.headings import Heading, headings
from akm.workflow.parsing.report import Report
from akm.workflow.parsing.source import Source
from akm.workflow.wording import TO_MARKDOWN

CODE = "old-grammar"
#: What to do about a file whose grammar can be converted.
CONVERT = "akm workflow convert FILE"
_STEP_HEADING = re.compile(r"Step\s*:\s*\S.*|Step\s+[0-9]+\b.*", re.IGNORECASE)
_TITLE = re.compile(r"Step\s*:\s*(\S.*)", re.IGNORECASE)
_YAML_KEY = re.compile(r"(on|jobs|version|name|steps)\s*:")
_CHANGES = (
    "list the steps in the frontmatter (`steps: [{ id: ... }]`), head each section `## <id>`, "
    "put criteria under `### gate`, and give every parameter a schema with its type"
)


def without_frontmatter(lines: Sequence[str], report: Report) -> bool:
    """Note a file that lacks frontmatter because it is of another grammar; False when it is just broken."""
    if _note_headings(headings(lines), 1, report):
        return True
    keys = {match[1] for line in lines if (match := _YAML_KEY.match(line))}
    if "jobs" in keys or ("steps" in keys and keys & {"version", "name"}):
        report.error(1, _program("a plain YAML file"), code=CODE)
        return True
    return False


def recognise(root: Node, source: Source, marks: Sequence[Heading], report: Report) -> bool:
    """Note the one finding that an older grammar deserves; False when the file is in today's."""
    top = root.value if isinstance(root.value, dict) else {}
    if _is_program(top, report) or _prerequisites(top, report):
        return True
    return not _has_sections(top, marks) and step_headings(source, marks, report)


def consists_of_step_headings(marks: Sequence[Heading]) -> bool:
    """Tell whether every section of a body is a `## Step`, so that not even the frontmatter need be read."""
    return all(_STEP_HEADING.fullmatch(heading.text) for heading in marks if heading.level == 2)


def step_headings(source: Source, marks: Sequence[Heading], report: Report) -> bool:
    """Note a body of `## Step` sections; False when it has none."""
    return _note_headings(marks, source.body_line, report)


def step_title(heading: Heading) -> str:
    """Return the title in a heading `## Step: <title>`; empty for any other heading."""
    match = _TITLE.fullmatch(heading.text) if heading.level == 2 else None
    return match[1] if match else ""


def _prerequisites(top: dict[str, Node], report: Report) -> bool:
    """Note the oldest grammar, whose steps had a title and required each other."""
    lines = [entry["requires"].line for entry in _entries(top) if "requires" in entry and "title" in entry]
    if lines:
        message = f"This file is in the oldest grammar (steps with `title` and `requires`): {_CHANGES}."
        report.error(lines[0], message, code=CODE)
    return bool(lines)


def _program(what: str) -> str:
    return f"This is {what}, which is not read as a workflow: {TO_MARKDOWN}."


def _is_program(top: dict[str, Node], report: Report) -> bool:
    """Note a workflow of another program, or the YAML program that once was one of ours."""
    if "jobs" in top or ("on" in top and "steps" not in top):
        line = top["jobs" if "jobs" in top else "on"].line
        report.error(line, _program("a GitHub-shaped workflow (`on:` and `jobs:`)"), code=CODE)
        return True
    if "version" in top and any("instructions" in _keys(entry, "unit") for entry in _entries(top)):
        what = "a version 2 YAML program (`version:` and `unit.instructions`)"
        report.error(top["version"].line, _program(what), code=CODE)
        return True
    return False


def _entries(top: dict[str, Node]) -> list[dict[str, Node]]:
    steps = top.get("steps")
    items = steps.value if steps is not None and isinstance(steps.value, tuple) else ()
    return [item.value for item in items if isinstance(item.value, dict)]


def _keys(entry: dict[str, Node], key: str) -> dict[str, Node]:
    bag = entry.get(key)
    return bag.value if bag is not None and isinstance(bag.value, dict) else {}


def _has_sections(top: dict[str, Node], marks: Sequence[Heading]) -> bool:
    """Tell whether a declared step has its section, so that a `## Step` heading is a slip and no grammar."""
    ids = {str(entry["id"].value) for entry in _entries(top) if "id" in entry}
    return any(heading.level == 2 and heading.text in ids for heading in marks)


def _note_headings(marks: Sequence[Heading], first_line: int, report: Report) -> bool:
    """Note the first `## Step` heading on behalf of all; False when there is none."""
    heading = next((it for it in marks if it.level == 2 and _STEP_HEADING.fullmatch(it.text)), None)
    if heading is None:
        return False
    is_convertible = bool(step_title(heading))
    shape = "## Step: <title>" if is_convertible else "## Step <number>"
    message = f"This file is in the 0.x heading grammar (`{shape}`), which is no longer read"
    report.error(
        first_line + heading.index,
        f"{message}." if is_convertible else f"{message}: {_CHANGES}.",
        suggestion=CONVERT if is_convertible else None,
        code=CODE,
    )
    return True
