"""Copying a database whole into one new file: consistent, and checked."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from akm.errors import ConfigError, NotFoundError, TransientError
from akm.store import schema
from akm.store.connect import connect, translate, translated

#: Four megabytes at a time, between which an interruption is heard.
PAGES_AT_ONCE = 1000
# What SQLite says when it cannot make the files that readers of a log share.
_UNMAKEABLE = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)


class Copied(NamedTuple):
    """A finished copy. `revision` is None for a file that no akm has made; `bytes` is its size."""

    revision: str | None
    bytes: int


def make(source: Path, target: Path) -> Copied:
    """Copy the database at `source`, as it is at one moment, into the empty file `target`, and check it.

    Writers of a database in write-ahead mode go on meanwhile. Raises NotFoundError when there is no source,
    ConfigError when it is damaged, TransientError when the disk is too small.
    """
    if not source.exists():
        raise NotFoundError(f"There is no database {source}.", code="FILE_NOT_FOUND")
    with closing(opened(source)) as origin, closing(connect(target)) as copy:
        with translated(source):
            # One snapshot for all steps: without it, each foreign write would start the copy anew.
            origin.execute("BEGIN")
            found = schema.revision(origin)
            needed = _bytes(origin)
        _refuse_small_disk(target, needed)
        with _blamed(source, target):
            origin.backup(copy, pages=PAGES_AT_ONCE, progress=_step)
            # One in write-ahead mode would not be whole in one file once it is opened.
            copy.execute("PRAGMA journal_mode=DELETE")
            _refuse_damage(copy, source)
            size = _bytes(copy)
    return Copied(found, size)


def opened(source: Path) -> sqlite3.Connection:
    """Open a database for reading, also in a folder where nothing may be written."""
    raw = connect(source, read_only=True)
    try:
        raw.execute("PRAGMA schema_version").fetchone()
        return raw
    except sqlite3.Error as error:
        raw.close()
        if error.sqlite_errorcode & 0xFF not in _UNMAKEABLE or Path(f"{source}-wal").exists():
            raise translate(error, source) from error
    # In a folder where nothing may be made nobody can write to it either.
    return sqlite3.connect(f"{source.absolute().as_uri()}?immutable=1", isolation_level=None, uri=True)


def counts(path: Path) -> dict[str, int]:
    """Count the rows of every table of a file."""
    with translated(path), closing(connect(path, read_only=True)) as raw:
        return {
            name: int(raw.execute(f"SELECT count(*) FROM {quoted(name)}").fetchone()[0])
            for name in tables(raw)
        }


def tables(raw: sqlite3.Connection) -> list[str]:
    """List the tables of a file by name, without those that SQLite and Alembic keep for themselves."""
    found = raw.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    names = [str(row[0]) for row in found]
    return [name for name in names if name != "alembic_version" and not name.startswith("sqlite_")]


def quoted(name: str) -> str:
    """Write the name of a table or a column as SQL does."""
    return '"' + name.replace('"', '""') + '"'


@contextmanager
def _blamed(source: Path, target: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        # What the copy holds came from the source; what its disk does is its own.
        is_of_disk = getattr(error, "sqlite_errorcode", 0) & 0xFF in (
            sqlite3.SQLITE_FULL,
            sqlite3.SQLITE_IOERR,
        )
        raise translate(error, target if is_of_disk else source) from error


def _step(_status: int, _left: int, _total: int) -> None:
    """Give Python a moment to hear a signal between two steps."""


def _bytes(raw: sqlite3.Connection) -> int:
    (pages,), (size,) = (raw.execute(f"PRAGMA {name}").fetchone() for name in ("page_count", "page_size"))
    return int(pages) * int(size)


def _refuse_small_disk(target: Path, needed: int) -> None:
    disk = os.statvfs(target.parent)
    free = disk.f_bavail * disk.f_frsize
    if free < needed:
        raise TransientError(
            f"The disk that holds {target.parent} has {free:,} bytes free and the copy needs {needed:,}; "
            "nothing was written.",
            code="DATABASE_FULL",
        )


def _refuse_damage(copy: sqlite3.Connection, source: Path) -> None:
    found = [str(row[0]) for row in copy.execute("PRAGMA integrity_check(3)") if row[0] != "ok"]
    if found:
        said = " ".join("; ".join(found).split())
        raise ConfigError(
            f"The database {source} is damaged ({said}), so no copy of it was kept.",
            code="DATABASE_UNUSABLE",
            hint="Look at it with `akm db check`, and restore an older backup.",
        )
