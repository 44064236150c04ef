"""Whether a unit's `cwd` stays inside the workspace: by its text, and on the disk when a root is known."""

from __future__ import annotations

import re
import stat
from pathlib import Path

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_DRIVE = re.compile(r"[A-Za-z]:")


class WorkingDirectoryFault(Exception):
    """A `cwd` cannot be used; `reason` completes a sentence that begins with its place in the file."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.code = f"working-directory-{kind}"
        self.reason = reason


def canonical(text: str) -> str:
    """Return the path with `/` and without `.`; raises WorkingDirectoryFault when it may escape."""
    if _CONTROL.search(text):
        raise WorkingDirectoryFault("control-character", "holds a control character; remove it")
    path = text.replace("\\", "/")
    if not path.strip():
        raise WorkingDirectoryFault("escape", "is empty; remove it, or write `.` for the workspace root")
    if path.startswith(("/", "~")) or _DRIVE.match(path):
        raise WorkingDirectoryFault("escape", "must be relative to the workspace root")
    segments = [segment for segment in path.split("/") if segment not in ("", ".")]
    if ".." in segments:
        raise WorkingDirectoryFault("escape", "must not hold `..`; it stays inside the workspace root")
    return "/".join(segments) or "."


def verify(root: Path, cwd: str) -> None:
    """Check a canonical path on the disk; raises WorkingDirectoryFault. A missing tail is no fault."""
    try:
        real_root = path = root.resolve(strict=True)
        for segment in cwd.split("/"):
            path = path / segment
            if not _is_there(path):
                return
            path = _real(path, segment)
            _check_component(path, real_root, segment)
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or "a symbolic link leads in a circle"
        raise WorkingDirectoryFault("unverifiable", f"cannot be checked on the disk: {reason}") from error


def _real(path: Path, segment: str) -> Path:
    try:
        return path.resolve(strict=True)
    except FileNotFoundError:
        reason = f"leads through the symbolic link `{segment}`, whose target does not exist"
        raise WorkingDirectoryFault("unverifiable", reason) from None


def _is_there(path: Path) -> bool:
    """Tell whether the name exists, be it a dangling symbolic link."""
    try:
        path.lstat()
    except FileNotFoundError:
        return False
    return True


def _check_component(real: Path, real_root: Path, segment: str) -> None:
    if not real.is_relative_to(real_root):
        raise WorkingDirectoryFault(
            "escape", f"leaves the workspace root through the symbolic link `{segment}`"
        )
    if not stat.S_ISDIR(real.stat().st_mode):
        raise WorkingDirectoryFault("unverifiable", f"leads through `{segment}`, which is not a directory")
