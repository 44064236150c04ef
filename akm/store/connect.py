"""Opening a SQLite file as akm wants it, and the one place where SQLite's errors get akm's words."""

from __future__ import annotations

import os
import sqlite3
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from akm import private_files
from akm.errors import AkmError, ConfigError, TransientError

BUSY_SECONDS = 30.0
OLDEST_SQLITE = (3, 35)
SYNCHRONOUS = {"full": "FULL", "normal": "NORMAL", "extra": "EXTRA", "off": "OFF"}
NETWORK_FILE_SYSTEMS = {
    "nfs",
    "nfs4",
    "cifs",
    "smb3",
    "smbfs",
    "afs",
    "9p",
    "ceph",
    "glusterfs",
    "fuse.sshfs",
}


def connect(path: Path, *, busy_seconds: float = BUSY_SECONDS, read_only: bool = False) -> sqlite3.Connection:
    """Open the file at `path`, creating it when it is missing unless `read_only`.

    The driver's own transaction handling is off. Raises ConfigError when it cannot be opened.
    """
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        raise ConfigError(f"SQLite {sqlite3.sqlite_version} is too old; akm needs 3.35 or newer.")
    _refuse_what_is_no_file(path)
    with translated(path):
        if not read_only:
            _create(path)
        # The driver sets busy_timeout from `timeout` first thing, before any statement can find a lock.
        return sqlite3.connect(
            f"{path.absolute().as_uri()}?mode={'ro' if read_only else 'rwc'}",
            timeout=busy_seconds,
            isolation_level=None,
            cached_statements=256,
            uri=True,
        )


def _refuse_what_is_no_file(path: Path) -> None:
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        # Missing, or of a kind of trouble that SQLite has a word for.
        return
    if stat.S_ISDIR(mode):
        raise ConfigError(f"The database {path} is a directory; name a file in it.", code="DATABASE_UNUSABLE")
    if not stat.S_ISREG(mode):
        # Of a pipe, SQLite would wait for a writer for ever.
        raise ConfigError(f"The database {path} is no file; name another one.", code="DATABASE_UNUSABLE")


def _create(path: Path) -> None:
    # Made by us and not by SQLite, so that nobody else can read it whatever the umask says. A file that is
    # there is not even opened: closing it would drop the locks of every other connection of this process.
    try:
        private_files.make_folder(path.parent)
        os.close(private_files.new(path))
    except OSError:
        # There already, or read-only, which still serves readers; SQLite says what is wrong when it is.
        return


def prepare(connection: sqlite3.Connection, path: Path, synchronous: str) -> str | None:
    """Set the pragmas of a writing connection; returns a warning to show, or None."""
    if synchronous not in SYNCHRONOUS:
        raise ConfigError(
            f"synchronous is {synchronous!r}; set it to full or normal (AKM_SQLITE_SYNCHRONOUS)."
        )
    file_system = file_system_of(path)
    is_remote = file_system in NETWORK_FILE_SYSTEMS
    # Asked each time: a file made elsewhere brings its journal along, and write-ahead mode needs memory
    # that all its users share.
    journal = "delete" if is_remote else "wal"
    with translated(path):
        _set_journal(connection, journal)
        connection.execute(f"PRAGMA synchronous={SYNCHRONOUS[synchronous]}")
        connection.execute("PRAGMA foreign_keys=ON")
    if not is_remote:
        return None
    return (
        f"{path} is on a network file system ({file_system}): it is used without write-ahead log, more "
        "slowly. Set AKM_DATA_DIR to a local directory."
    )


def _set_journal(connection: sqlite3.Connection, journal: str) -> None:
    deadline = time.monotonic() + BUSY_SECONDS
    while connection.execute("PRAGMA journal_mode").fetchone()[0] != journal:
        try:
            connection.execute(f"PRAGMA journal_mode={journal}")
        except sqlite3.Error as error:
            # SQLite does not wait here: of two that change the mode at once, one is refused on the spot.
            if not is_contention(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.002)


def file_system_of(path: Path, mounts: Path = Path("/proc/self/mounts")) -> str | None:
    """Name the type of the file system that holds `path`; None where the system does not tell."""
    try:
        lines = mounts.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    real = str(path.absolute().resolve())
    best, kind = "", None
    for line in lines:
        _device, point, found, *_rest = line.split(" ")
        folder = point.replace("\\040", " ").rstrip("/")
        if (real == folder or real.startswith(folder + "/")) and len(folder) >= len(best):
            best, kind = folder, found
    return kind


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn SQLite's errors inside the block into akm's, by code and never by text."""
    try:
        yield
    except sqlite3.Error as error:
        raise translate(error, path) from error


def is_contention(error: sqlite3.Error) -> bool:
    """Tell whether somebody else's lock is the whole trouble."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def translate(error: sqlite3.Error, path: Path) -> AkmError:
    """Put an SQLite error into one sentence with the right kind. Unknown ones are bugs of ours."""
    extended = getattr(error, "sqlite_errorcode", 0)
    code = extended & 0xFF
    if is_contention(error):
        return TransientError(f"The database {path} is held by another process.", code="STATE_DB_CONTENDED")
    # A shared memory file that cannot grow is the first thing to fail on a full disk.
    if code == sqlite3.SQLITE_FULL or extended == sqlite3.SQLITE_IOERR_SHMSIZE:
        return TransientError(
            f"The disk that holds {path} is full; nothing was written.", code="DATABASE_FULL"
        )
    sentence = _UNUSABLE.get(code)
    if sentence is None:
        return AkmError(f"The database {path} refused a statement ({type(error).__name__}: {error}).")
    return ConfigError(sentence.format(path=path), code="DATABASE_UNUSABLE")


_UNUSABLE = {
    sqlite3.SQLITE_READONLY: "The database {path} is read-only; make it writable or set AKM_DATA_DIR.",
    sqlite3.SQLITE_CANTOPEN: "The database {path} cannot be opened; check that file and folder are yours.",
    sqlite3.SQLITE_NOTADB: "The file {path} is not a SQLite database; move it away or name another one.",
    sqlite3.SQLITE_CORRUPT: "The database {path} is damaged; restore a backup of it.",
    sqlite3.SQLITE_IOERR: "The disk reported an error while reading or writing {path}; check the disk.",
    sqlite3.SQLITE_PERM: "The database {path} may not be opened by this user.",
    sqlite3.SQLITE_AUTH: "The database {path} may not be opened by this user.",
}
