"""Opening the ledger: create what is missing, upgrade what is older, only read what is newer."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from akm.errors import AkmError, ConfigError
from akm.store import newer, schema, sql
from akm.store.connect import BUSY_SECONDS, connect, prepare, translated
from akm.store.database import Database

BACKUPS_KEPT = 3


def open_database(path: Path, *, synchronous: str = "full", busy_seconds: float = BUSY_SECONDS) -> Database:
    """Open the ledger at `path`, at this build's revision.

    A missing or empty file is created. An older one is upgraded after a safety copy beside it. A newer one
    is opened read-only with one warning. Raises ConfigError when the file cannot be used, TransientError
    when others hold it for longer than `busy_seconds` or the disk is full; the file is then as it was.
    """
    while True:
        expected = _identity(path)
        try:
            db = _open(path, synchronous, busy_seconds)
        except AkmError:
            if expected in (None, _identity(path)):
                raise
            continue
        if expected in (None, _identity(path)):
            return db
        # A backup was restored meanwhile: what was opened is the file that it replaced.
        db.close()


def _identity(path: Path) -> int | None:
    try:
        return os.stat(path).st_ino
    except OSError:
        return None


def _open(path: Path, synchronous: str, busy_seconds: float) -> Database:
    connection = connect(path, busy_seconds=busy_seconds)
    try:
        with translated(path):
            found = schema.revision(connection)
        if found != sql.REVISIONS[-1]:
            if found is not None and found not in sql.REVISIONS:
                return _read_only(connection, path, found, busy_seconds)
            connection.close()
            _bring_to_head(path, found, busy_seconds)
            connection = connect(path, busy_seconds=busy_seconds)
        warning = prepare(connection, path, synchronous)
    except BaseException:
        connection.close()
        raise
    return Database(connection, path, busy_seconds=busy_seconds, warnings=(warning,) if warning else ())


def _read_only(first: sqlite3.Connection, path: Path, found: str, busy_seconds: float) -> Database:
    # It must have read before the first connection closes: the last one to close that may write, with no
    # other reader about, would fold the log into the file.
    connection = connect(path, busy_seconds=busy_seconds, read_only=True)
    with translated(path):
        schema.revision(connection)
    first.close()
    return Database(
        connection,
        path,
        busy_seconds=busy_seconds,
        newer_revision=found,
        warnings=(newer.warning(path, found),),
    )


def _bring_to_head(path: Path, found: str | None, busy_seconds: float) -> None:
    _refuse_foreign(path, found)
    if found is None:
        _create(path, busy_seconds)
    else:
        back_up(path, found)
        schema.upgrade(path, busy_seconds=busy_seconds)


def _create(path: Path, busy_seconds: float) -> None:
    """Make the newest schema in an empty file at once; whoever comes second finds it made."""
    with translated(path), closing(connect(path, busy_seconds=busy_seconds)) as raw:
        # Before the schema exists, so that concurrent first openers meet in write-ahead mode.
        prepare(raw, path, "full")
        raw.execute("BEGIN IMMEDIATE")
        if schema.revision(raw) is None:
            for statement in sql.SCHEMA:
                raw.execute(statement)
            raw.execute("INSERT INTO alembic_version VALUES (?)", (sql.REVISIONS[-1],))
        raw.execute("COMMIT")


def _refuse_foreign(path: Path, found: str | None) -> None:
    """Refuse to migrate somebody else's database that happens to be in our place."""
    if found is not None:
        return
    raw = connect(path)
    try:
        with translated(path):
            tables = {str(row[0]) for row in raw.execute("SELECT name FROM sqlite_master WHERE type='table'")}
            again = schema.revision(raw)
    finally:
        raw.close()
    if again is None and "schema_migrations" in tables:
        raise ConfigError(
            f"{path} is a database of akm-cli; keep it, and let AKM_DATA_DIR name another directory.",
            code="DATABASE_UNUSABLE",
        )
    if again is None and tables - {"alembic_version", "sqlite_sequence"}:
        raise ConfigError(
            f"{path} is a database of another program; move it away or name another file.",
            code="DATABASE_UNUSABLE",
        )


def back_up(path: Path, found: str) -> Path | None:
    """Copy the database beside itself before it is upgraded; the newest three such copies are kept.

    Returns None, and keeps no copy, when another process has upgraded the file in the meantime.
    """
    from akm import clock

    stamp = clock.now().replace(":", "").replace("-", "").replace(".", "")
    target = path.with_name(f"{path.name}.before-{found}-{stamp}.bak")
    partial = path.with_name(f"{target.name}.{os.getpid()}.partial")
    try:
        if _copy(path, partial) != found:
            return None
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
    for old in sorted(path.parent.glob(f"{path.name}.before-*.bak"), key=_age)[:-BACKUPS_KEPT]:
        old.unlink(missing_ok=True)
    return target


def _copy(path: Path, target: Path) -> str | None:
    """Copy the database whole and return the copy's revision."""
    source, copy = connect(path), connect(target)
    try:
        with translated(path):
            source.backup(copy)
            # A copy in write-ahead mode would not be whole in one file once it is opened.
            copy.execute("PRAGMA journal_mode=DELETE")
            return schema.revision(copy)
    finally:
        copy.close()
        source.close()


def _age(copy: Path) -> str:
    return copy.name.rsplit("-", 1)[-1]
