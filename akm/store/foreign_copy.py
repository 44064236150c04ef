"""A private copy of a database file that another program owns, whole, with its log, and of one moment.

The original is opened for reading as any file is. SQLite never sees it, because even to read it may write:
it makes files beside a database, and folds a log in.
"""

from __future__ import annotations

import errno
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from akm.errors import ConfigError, NotFoundError, TransientError, UsageError

#: The database, its write-ahead log, and the journal that a crash in the other mode leaves.
PARTS: Final = ("", "-wal", "-journal")
TRIES: Final = 5
_MAGIC: Final = b"SQLite format 3\0"
_PIECE: Final = 1 << 20


@contextmanager
def copied(path: Path) -> Iterator[Path]:
    """Copy the database at `path` to a directory that is gone after the block; yields the copy's path.

    Raises NotFoundError, UsageError or ConfigError for what is no readable SQLite file, TransientError when
    it changes for as long as it is tried, or the copy finds no room.
    """
    _refuse_no_database(path)
    real = path.resolve()
    with tempfile.TemporaryDirectory(prefix="akm-adopt-") as folder:
        copy = Path(folder) / "state.db"
        try:
            is_whole = any(_copy(real, copy) for _try in range(TRIES))
        except OSError as error:
            raise _refused(error, path, folder) from error
        if not is_whole:
            raise TransientError(
                f"{path} is being written all the time; stop the program that does, then try again.",
                code="STATE_DB_CONTENDED",
            )
        yield copy


def _refuse_no_database(path: Path) -> None:
    try:
        kind = path.stat().st_mode
        if stat.S_ISDIR(kind):
            raise UsageError(f"{path} is a directory; name the database in it, such as state.db.")
        if not stat.S_ISREG(kind):
            raise UsageError(f"{path} is no file; name an akm-cli database, such as state.db.")
        with path.open("rb") as file:
            start = file.read(len(_MAGIC))
    except FileNotFoundError:
        raise NotFoundError(f"There is no file {path}.", code="FILE_NOT_FOUND") from None
    except (OSError, ValueError) as error:
        raise _unreadable(error, path) from error
    if start != _MAGIC:
        raise UsageError(f"{path} is not a SQLite database; name an akm-cli database, such as state.db.")


def _unreadable(error: Exception, path: Path) -> ConfigError:
    reason = error.strerror if isinstance(error, OSError) else "its name cannot be one"
    return ConfigError(
        f"The file {path} cannot be read ({reason}); nothing was written.", code="DATABASE_UNUSABLE"
    )


def _refused(error: OSError, path: Path, folder: str) -> ConfigError | TransientError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return TransientError(
            f"There is no room for a copy of {path} in {Path(folder).parent}; let TMPDIR name another place.",
            code="DATABASE_FULL",
        )
    return _unreadable(error, path)


def _copy(real: Path, copy: Path) -> bool:
    """Copy every part; False when the original was changed meanwhile, which the copy then may mix."""
    for part in PARTS:
        try:
            shutil.copyfile(_beside(real, part), _beside(copy, part))
        except FileNotFoundError:
            if not part:
                raise
            _beside(copy, part).unlink(missing_ok=True)
    # Read again and compared, because times of files are too coarse to tell of every change.
    return all(_is_same(_beside(real, part), _beside(copy, part)) for part in PARTS)


def _beside(path: Path, part: str) -> Path:
    return path.with_name(path.name + part)


def _is_same(one: Path, other: Path) -> bool:
    if not one.exists() or not other.exists():
        return one.exists() == other.exists()
    with one.open("rb") as first, other.open("rb") as second:
        while True:
            piece = first.read(_PIECE)
            if piece != second.read(_PIECE):
                return False
            if not piece:
                return True
