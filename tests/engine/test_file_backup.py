"""Replacing a file with the old one kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from akm.engine.files import backup
from akm.errors import UsageError


def test_every_older_file_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_bytes(b"1")
    kept = [backup.replace(file, text) for text in (b"2", b"3\r\n")]
    assert [one.name for one in kept] == ["a.md.bak", "a.md.bak.1"]
    assert [one.read_bytes() for one in (*kept, file)] == [b"1", b"2", b"3\r\n"]


def test_nothing_is_left_behind_when_it_cannot_be_done(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"gone\.md cannot be written: No such file"):
        backup.replace(tmp_path / "gone.md", b"")
    assert list(tmp_path.iterdir()) == []
