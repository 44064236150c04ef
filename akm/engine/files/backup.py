"""Replacing a file that a person wrote, in one step and with the old one kept beside it."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from akm.errors import UsageError


def replace(path: Path, content: bytes) -> Path:
    """Replace the file and return where the old one is kept: `<file>.bak`, or `.bak.<n>` when that is taken.

    The file keeps its mode, and a symbolic link goes on pointing at it. Raises UsageError when the system
    will not; the file is as it was then.
    """
    file = Path(os.path.realpath(path))
    try:
        return _replace(file, content)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}.") from error


def _replace(file: Path, content: bytes) -> Path:
    descriptor, draft = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(draft, file.stat().st_mode & 0o777)
        backup = _free(file)
        # Unlike a rename, a link never takes the place of a file that appeared in between.
        os.link(file, backup)
        os.replace(draft, file)
    except BaseException:
        os.unlink(draft)
        raise
    return backup


def _free(file: Path) -> Path:
    backup, number = file.with_name(f"{file.name}.bak"), 1
    while os.path.lexists(backup):
        backup, number = file.with_name(f"{file.name}.bak.{number}"), number + 1
    return backup
