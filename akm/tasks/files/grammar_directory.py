"""`working-directory`: relative to the bundle, and inside it on the disk as well as by its text."""

from __future__ import annotations

import os
import re
from pathlib import Path

from akm.workflow.parsing.fields import Field

_DRIVE = re.compile(r"[A-Za-z]:")


def working_directory(field: Field, root: Path) -> str | None:
    """Read a directory below `root` that exists; None after noting a fault."""
    text = field.text()
    if text is None:
        return None
    problem = _text_fault(str(field.node.value)) or _disk_fault(root, text)
    if problem:
        field.fail(problem)
        return None
    return text


def _text_fault(text: str) -> str | None:
    if not text.isprintable() or text != text.strip():
        return "must hold no control character and no space at an end; remove it"
    if text.startswith(("/", "~")) or "\\" in text or _DRIVE.match(text):
        return "must be relative to the bundle, with `/` between its parts"
    parts = text.split("/")
    if ".." in parts:
        return "must not hold `..`; it stays inside the bundle"
    return "must not hold an empty part; write single `/`" if "" in parts else None


def _disk_fault(root: Path, text: str) -> str | None:
    path = Path(os.path.realpath(root / text))
    real_root = Path(os.path.realpath(root))
    if not path.is_relative_to(real_root):
        return "leads out of the bundle through a symbolic link; name a directory inside it"
    if not path.exists():
        return f"does not exist in {root}; create the directory, or correct the name"
    return None if path.is_dir() else "is no directory; name one"
