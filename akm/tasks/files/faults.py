"""The errors about a task file, in one form: file, line, place in the file, and what to do."""

from __future__ import annotations

from pathlib import Path

from akm.errors import UsageError
from akm.workflow.parsing.report import Report

SOURCE_INVALID = "TASK_SOURCE_INVALID"
VERSION_UNSUPPORTED = "TASK_SCHEMA_VERSION_UNSUPPORTED"


def invalid(
    path: Path, line: int | None, detail: str, *, code: str = SOURCE_INVALID, hint: str | None = None
) -> UsageError:
    """Build the error about one fault; `detail` is a sentence that begins with the place in the file."""
    return UsageError(_sentence(path, line, detail), code=code, hint=hint)


def reported(path: Path, report: Report) -> UsageError:
    """Build the error that tells every fault of a report, one on each line, in file order."""
    lines = [_sentence(path, finding.line, finding.text) for finding in report.findings()]
    return UsageError("\n".join(lines), code=SOURCE_INVALID)


def _sentence(path: Path, line: int | None, detail: str) -> str:
    return f"Invalid task at {path}{f':{line}' if line else ''}: {detail}"
