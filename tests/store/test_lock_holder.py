"""Naming the holder of the write lock without disturbing a lock of this process."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from akm.store import lock_holder
from akm.store.database import Database


def test_nobody_is_named_when_nobody_holds_it(db: Database) -> None:
    with db.read():
        assert lock_holder.describe(db.path) == "another process"


def test_without_a_write_ahead_log_nobody_can_be_named(tmp_path: Path) -> None:
    assert lock_holder.describe(tmp_path / "state.db") == "another process"


def test_the_holder_is_named_and_keeps_its_locks(db: Database) -> None:
    with db.immediate():
        assert f"process {os.getpid()} (" in lock_holder.describe(db.path)
        # A handle of the file that is closed in this process would have dropped the lock.
        assert f"process {os.getpid()} (" in lock_holder.describe(db.path)


@pytest.mark.parametrize(
    ("line", "pid"),
    [
        ("1: POSIX  ADVISORY  WRITE 12 fe:00:77 120 120", 12),
        ("1: POSIX  ADVISORY  WRITE 12 fe:00:77 119 EOF", 12),
        ("1: POSIX  ADVISORY  READ 12 fe:00:77 120 120", None),
        ("1: POSIX  ADVISORY  WRITE 12 fe:00:77 121 128", None),
        ("1: POSIX  ADVISORY  WRITE 12 fe:00:78 120 120", None),
        ("1: -> POSIX  ADVISORY  WRITE 12 fe:00:77 120 120", None),
        ("1: FLOCK  ADVISORY  WRITE 12 fe:00:77 0 EOF", None),
        ("", None),
    ],
)
def test_only_the_write_lock_of_the_file_counts(line: str, pid: int | None) -> None:
    assert lock_holder._writer(line.split(), "77") == pid
