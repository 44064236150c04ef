"""Folders and files for their owner alone, whatever the umask says: what akm keeps for itself is made here.

What lies in a person's own project is no business of this module: it follows the umask.
"""

from __future__ import annotations

import os
from itertools import takewhile
from pathlib import Path
from threading import get_native_id

_FOLDER = 0o700
FILE = 0o600


def make_folder(folder: Path) -> Path:
    """Make a folder unless it is there, and every missing one above it, and return it. Raises OSError.

    One that is there keeps its mode.
    """
    # `Path.mkdir` gives its mode to the last folder only, and those above it to whomever the umask lets in.
    missing = takewhile(lambda one: not os.path.lexists(one), folder.parents)
    for one in (*reversed([*missing]), folder):
        one.mkdir(mode=_FOLDER, exist_ok=True)
    return folder


def new(file: Path) -> int:
    """Make an empty file and return its descriptor. Raises FileExistsError, also for a link in its place."""
    return os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, FILE)


def anew(file: Path) -> int:
    """Make an empty file in place of whatever has its name, which a link is never followed from."""
    file.unlink(missing_ok=True)
    return new(file)


def write(file: Path, data: bytes) -> None:
    """Make `data` the whole content of a file, in one step. Raises OSError; the file is then as it was."""
    draft = file.with_name(f"{file.name}.{get_native_id()}.tmp")
    try:
        with os.fdopen(anew(draft), "wb") as stream:
            stream.write(data)
        os.replace(draft, file)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
