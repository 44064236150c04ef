"""`akm workflow lint`: every finding of every file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from akm.cli import output

if TYPE_CHECKING:
    from akm.engine.files.linting import Checked

Targets = Annotated[
    list[str] | None,
    typer.Argument(metavar="[PATH]...", help="Files, folders or refs; without any, the workflows here."),
]


def lint(targets: Targets = None) -> int:
    """Check workflow files and print every finding. Exits 1 when a file has an error."""
    from akm.cli.workflow import surroundings
    from akm.engine.files import linting

    checked = linting.lint(surroundings.here(), targets or [])
    is_sound = all(one.is_sound for one in checked)
    findings = [_finding(one, finding) for one in checked for finding in one.findings]
    errors = sum(finding["severity"] == "error" for finding in findings)
    summary = {"files": len(checked), "errors": errors, "warnings": len(findings) - errors}
    output.show({"ok": is_sound, "findings": findings, "summary": summary}, render=_lines, items="findings")
    return 0 if is_sound else 1


def _finding(checked: Checked, finding: Any) -> dict[str, Any]:
    shown = {
        "path": str(checked.path),
        "line": finding.line,
        "severity": finding.severity,
        "code": finding.code,
        "message": finding.text,
    }
    return shown | ({"suggestion": finding.suggestion} if finding.suggestion else {})


def _lines(result: dict[str, Any]) -> Iterator[str]:
    for one in result["findings"]:
        yield f"{one['path']}:{one['line']}: {one['severity']}: {one['message']} [{one['code']}]"
    summary = result["summary"]
    if not summary["files"]:
        yield "There is no workflow here. Write one: akm workflow create NAME"
        return
    counted = (("files", "file"), ("errors", "error"), ("warnings", "warning"))
    yield ", ".join(_count(summary[name], noun) for name, noun in counted) + "."


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
