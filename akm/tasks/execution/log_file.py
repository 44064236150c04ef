"""The log file of one attempt: where it is, what it holds, and the writing of it, for its owner alone."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from akm import paths, private_files

if TYPE_CHECKING:
    from akm.tasks.execution.outcome import Outcome
    from akm.tasks.execution.redaction import Redactor


def folder() -> Path:
    """Return the directory of all task logs. Raises ConfigError without HOME."""
    return paths.cache_dir() / "tasks" / "logs"


def path(task_id: str, started_at: str) -> Path:
    """Return the log file of the attempt that started then."""
    return folder() / task_id / f"{started_at.replace(':', '-').replace('.', '-')}.log"


def text(task_id: str, kind: str, outcome: Outcome, *, warnings: Sequence[str] = ()) -> str:
    """Return the log of an attempt that was dispatched, not yet redacted."""
    lines = [f"[akm task] task={task_id} kind={kind}", *warnings, *outcome.lines]
    for name, section in (("stdout", outcome.stdout), ("stderr", outcome.stderr)):
        if section is not None:
            lines += [f"--- {name} ---", *([section.rstrip("\n")] if section else [])]
    return "\n".join(lines) + "\n"


def failed_text(reason: str, code: str) -> str:
    """Return the log of an attempt whose dispatch raised."""
    return f"[akm task] status=failed reason={reason} code={code}\n"


def write(file: Path, content: str, redactor: Redactor) -> str | None:
    """Write a log with its secrets taken out; returns a sentence when the system refuses, else None."""
    data = redactor.scrub(content).encode("utf-8", "replace")
    try:
        private_files.make_folder(file.parent)
        # A link in its place is not followed: somebody else's file would be overwritten.
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(file, flags, private_files.FILE), "wb") as opened:
            os.fchmod(opened.fileno(), private_files.FILE)
            opened.write(data)
    except OSError as error:
        return (
            f"The log {file} cannot be written ({error.strerror}); check the directory, or set AKM_CACHE_DIR."
        )
    return None
