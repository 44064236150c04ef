"""Putting a backup in the ledger's place, under a lock that nobody else can hold, and keeping the old one.

Whether a run is being driven is not looked at here: `akm.engine.care.restoring` does.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from akm.errors import ConfigError, TransientError, UsageError
from akm.spelling import counted
from akm.store import copies, drafts, newer, schema, sql
from akm.store.connect import connect, is_contention, translate, translated

BUSY_SECONDS = 0.5
_BEYOND_USE = (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT)


def put_back(path: Path, backup: Path, *, at: str) -> dict[str, Any]:
    """Replace the ledger at `path` by a copy of `backup`, and keep the old one beside it.

    Returns {path, backup, revision, bytes, kept}; `kept` is the old file's new name, None when there was
    none. `at` is a timestamp for that name. `path` is never without a file in between. Raises
    UsageError or ConfigError when `backup` is no healthy ledger of this or an older akm, TransientError
    STATE_DB_CONTENDED when another process has the ledger open; the ledger is as it was then.
    """
    # The file itself and not a link to it, because SQLite keeps the log beside the file itself.
    path = Path(os.path.realpath(path))
    if path.exists() and backup.exists() and path.samefile(backup):
        raise UsageError(f"{backup} is the database itself; name a backup of it.")
    with drafts.draft(path) as partial:
        made = copies.make(backup, partial)
        _refuse_others(partial, backup, made.revision)
        drafts.flush(partial)
        with _alone(path) as is_sound:
            kept = _keep(path, at, is_sound=is_sound)
            drafts.put(partial, path)
    return {
        "path": str(path),
        "backup": str(backup),
        "revision": made.revision,
        "bytes": made.bytes,
        "kept": None if kept is None else str(kept),
    }


def _refuse_others(partial: Path, backup: Path, found: str | None) -> None:
    if found is None:
        raise ConfigError(
            f"{backup} is no ledger of akm, so nothing was restored.",
            code="DATABASE_UNUSABLE",
            hint="A database of akm-cli is taken over with `akm db adopt`.",
        )
    if found not in sql.REVISIONS:
        raise newer.refusal(backup, found)
    with translated(partial), closing(connect(partial, read_only=True)) as raw:
        orphans = raw.execute("PRAGMA foreign_key_check").fetchall()
    if orphans:
        raise ConfigError(
            f"{backup} holds {counted(len(orphans), 'row')} whose run is missing, so nothing was restored.",
            code="DATABASE_UNUSABLE",
        )


@contextmanager
def _alone(path: Path) -> Iterator[bool]:
    """Keep everybody else out of the ledger for the block; its log is merged into it first.

    Yields False when the file is missing or too damaged to be locked: nobody can write to it then.
    """
    if not path.exists():
        yield False
        return
    if not os.access(path, os.W_OK):
        # SQLite, asked to leave write-ahead mode, would speak of a fault of the disk.
        raise ConfigError(
            f"The database {path} is read-only, so nothing was restored; make it writable first.",
            code="DATABASE_UNUSABLE",
        )
    raw = connect(path, busy_seconds=BUSY_SECONDS)
    try:
        yield _is_locked(raw, path)
    finally:
        raw.close()


def _is_locked(raw: sqlite3.Connection, path: Path) -> bool:
    try:
        # SQLite leaves write-ahead mode only for a connection that is the file's only one: this finds others
        # even while they do nothing, and merges the log and removes it.
        raw.execute("PRAGMA journal_mode=DELETE")
        raw.execute("BEGIN EXCLUSIVE")
        found = schema.revision(raw)
        is_foreign = found is None and copies.tables(raw) != []
    except sqlite3.Error as error:
        if is_contention(error):
            raise TransientError(
                f"Another process has the database {path} open, so nothing was restored.",
                code="STATE_DB_CONTENDED",
                hint="End it (a run, `akm task serve`, a database browser), then run the same command again.",
            ) from error
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in _BEYOND_USE:
            return False
        raise translate(error, path) from error
    if is_foreign:
        raise ConfigError(
            f"{path} is a database of another program, so nothing was restored.", code="DATABASE_UNUSABLE"
        )
    return True


def _keep(path: Path, at: str, *, is_sound: bool) -> Path | None:
    """Give the old file a second name, so that `path` is never without a file."""
    kept = path.with_name(f"{path.name}.before-restore-{_plain(at)}")
    if not is_sound:
        _set_aside(path, kept)
    if not path.exists():
        return None
    _drop_second_names(path)
    try:
        os.link(path, kept)
    except FileExistsError as error:
        raise TransientError(f"{kept} exists already; run the same command again.") from error
    except OSError as error:
        raise ConfigError(
            f"The old database cannot be kept as {kept} ({error.strerror}), so nothing was restored.",
            code="DATABASE_UNUSABLE",
            hint="Move the old database away by hand, then run the same command again.",
        ) from error
    drafts.flush(path.parent)
    return kept


def _set_aside(path: Path, kept: Path) -> None:
    # Before the new file comes: SQLite would take a log that lies beside it for its own.
    for ending in drafts.COMPANIONS:
        if os.path.exists(f"{path}{ending}"):
            os.rename(f"{path}{ending}", f"{kept}{ending}")


def _drop_second_names(path: Path) -> None:
    # A restore that was killed between its two steps leaves one; the file itself stays under its own name.
    for other in path.parent.glob(f"{path.name}.before-restore-*"):
        if other.exists() and other.samefile(path):
            other.unlink()


def _plain(at: str) -> str:
    return at.translate({ord(char): None for char in ":-."})
