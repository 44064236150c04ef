"""Files that appear whole or not at all: written under another name beside their place, then moved there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from akm import private_files
from akm.errors import ConfigError, UsageError

#: What a database in use has beside it.
COMPANIONS = ("-wal", "-shm", "-journal")


@contextmanager
def draft(target: Path) -> Iterator[Path]:
    """Give a name beside `target` to write to; what is still there at the block's end is removed.

    Raises ConfigError when the folder is missing or nothing can be written there, UsageError when the
    target is a pipe, a device or the like, which would be gone.
    """
    if target.exists() and not target.is_file():
        raise UsageError(f"{target} is no file, so nothing is written over it; name another one.")
    if not target.parent.is_dir():
        raise ConfigError(f"The folder {target.parent} does not exist; make it first.", code="FILE_NOT_FOUND")
    name = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        # An empty file, so that a folder which takes none is told in words of ours.
        os.close(private_files.anew(name))
    except OSError as error:
        raise ConfigError(
            f"Nothing can be written in {target.parent}: {error.strerror}.", code="DATABASE_UNUSABLE"
        ) from error
    try:
        yield name
    except OSError as error:
        refused = Path(error.filename) if isinstance(error.filename, str) else target
        if target.parent not in (refused, refused.parent):
            raise  # It is what was to be read that refuses.
        raise ConfigError(
            f"{target} cannot be written: {error.strerror}.", code="DATABASE_UNUSABLE"
        ) from error
    finally:
        for leftover in (name, *companions(name)):
            leftover.unlink(missing_ok=True)


def companions(path: Path) -> list[Path]:
    """Name the files that SQLite may keep beside a database."""
    return [Path(f"{path}{ending}") for ending in COMPANIONS]


def put(finished: Path, target: Path) -> None:
    """Move a finished copy to `target`, over what is there, so that it outlasts a loss of power."""
    flush(finished)
    os.replace(finished, target)
    flush(target.parent)


def flush(path: Path) -> None:
    """Hand a file, or a folder's list of names, to the disk."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
