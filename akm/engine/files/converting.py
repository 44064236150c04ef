"""Converting a workflow file of an older grammar: reading it, saying why it cannot be, writing it anew."""

from __future__ import annotations

from pathlib import Path

from akm.engine import sources
from akm.engine.files import backup
from akm.errors import NotFoundError, WorkflowSourceError
from akm.workflow.conversion.convert import Conversion
from akm.workflow.conversion.convert import convert as _convert
from akm.workflow.parsing.old_grammar import CODE


def convert(path: Path) -> Conversion:
    """Convert a file; its `text` is never None. One in today's grammar comes back unchanged.

    Raises NotFoundError `FILE_NOT_FOUND`, UsageError, and WorkflowSourceError with every fault of the file.
    """
    if not path.exists():
        raise NotFoundError(f"There is no file {path}.", code="FILE_NOT_FOUND")
    made = _convert(sources.read(path), name=path.name)
    if made.text is not None:
        return made
    errors = [one for one in made.findings if one.is_error]
    if any(one.code == CODE for one in errors):
        message = f"{path} cannot be converted; nothing was written."
    else:
        message = f"{path} is no workflow of an older grammar, and none of today's; nothing was written."
    raise WorkflowSourceError(message, errors, file=str(path))


def write(path: Path, text: str) -> Path:
    """Replace the file in one step and return where the old one is kept. Raises UsageError."""
    return backup.replace(path, text.encode())
