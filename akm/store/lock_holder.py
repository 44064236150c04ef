"""Who holds the database's write lock, as far as the operating system tells."""

from __future__ import annotations

import os
from pathlib import Path

# The byte of the -shm file that a writer locks in write-ahead mode (SQLite file format, "WAL-index").
_WRITE_LOCK_BYTE = 120


def describe(path: Path) -> str:
    """Name the process that holds the write lock of the database at `path`, for an error message."""
    pid = _pid(path)
    if pid is None:
        return "another process"
    command = _command(pid)
    return f"process {pid} ({command})" if command else f"process {pid}"


def _pid(path: Path) -> int | None:
    # Read from the system's list and not asked of the file: closing a handle of the file, whichever, drops
    # every lock that this process holds on it.
    try:
        inode = str(os.stat(f"{path}-shm").st_ino)
        lines = Path("/proc/locks").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    return next((pid for pid in (_writer(line.split(), inode) for line in lines) if pid), None)


def _writer(words: list[str], inode: str) -> int | None:
    """Read a line such as `1: POSIX ADVISORY WRITE 1234 fe:00:2169112 120 120`."""
    if words[1:4] != ["POSIX", "ADVISORY", "WRITE"]:
        return None
    pid, file, first, last = words[4:8]
    covers = int(first) <= _WRITE_LOCK_BYTE and (last == "EOF" or int(last) >= _WRITE_LOCK_BYTE)
    return int(pid) if covers and file.rsplit(":", 1)[-1] == inode else None


def _command(pid: int) -> str:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return ""
    return " ".join(word.decode(errors="replace") for word in words if word)[:80]
