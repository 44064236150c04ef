"""The folder of the clones: one change at a time, and what a killed command left there is swept away."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from akm import paths, private_files
from akm.errors import ConfigError, TransientError, UsageError

_DRAFT = ".draft-"
_LOCK_SECONDS = 5


def home() -> Path:
    """Return the folder that holds the clones, whether it exists or not."""
    return paths.data_dir() / "bundles"


def holds(path: Path) -> bool:
    """Tell whether a folder is a clone's: itself, and no link, right inside the folder of the clones."""
    real = Path(os.path.realpath(path))
    return real.parent == Path(os.path.realpath(home())) and not os.path.islink(path)


@contextmanager
def held() -> Iterator[Path]:
    """Hold the right to change clones for the block, after the drafts of killed commands were removed.

    Raises TransientError `BUNDLES_HELD` when another process changes them.
    """
    from filelock import FileLock, Timeout

    folder = paths.create(home())
    lock = FileLock(folder / ".lock", timeout=_LOCK_SECONDS, mode=private_files.FILE)
    try:
        lock.acquire()
    except Timeout:
        raise TransientError(
            "Another process is adding, updating or deleting a bundle: try again.", code="BUNDLES_HELD"
        ) from None
    except OSError as error:
        raise ConfigError(f"The folder {folder} cannot be written: {error.strerror}.") from error
    try:
        for left in folder.glob(f"{_DRAFT}*"):
            shutil.rmtree(left, ignore_errors=True)
        yield folder
    finally:
        lock.release()


@contextmanager
def draft(folder: Path) -> Iterator[Path]:
    """Make a folder beside the clones, to be moved to its place; it is removed if it was not."""
    made = Path(tempfile.mkdtemp(prefix=_DRAFT, dir=folder))
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def refuse_others(path: Path) -> None:
    """Raise UsageError unless the folder is a clone's."""
    if not holds(path):
        raise UsageError(f"The folder {path} is not in {home()}: delete it yourself.")


def delete(path: Path) -> None:
    """Delete a clone, with the right to change clones. Raises UsageError for any other folder."""
    refuse_others(path)
    if path.exists():
        # Out of its place first: what is half deleted is never taken for a bundle.
        doomed = Path(tempfile.mkdtemp(prefix=_DRAFT, dir=path.parent))
        os.rename(path, doomed / path.name)
        shutil.rmtree(doomed, ignore_errors=True)
