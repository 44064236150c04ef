"""Another program's database is read whole, with its log, and is left exactly as it was."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from akm.errors import AkmError, ConfigError, NotFoundError, TransientError, UsageError
from akm.store import foreign, foreign_copy

EVENTS = ("id", "ts")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A database with one event, in a directory of its own."""
    path = tmp_path / "theirs/state.db"
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as made, made:
        made.execute("CREATE TABLE schema_migrations (id TEXT)")
        made.execute("INSERT INTO schema_migrations VALUES ('001-initial-schema')")
        made.execute("CREATE TABLE events (id INTEGER PRIMARY KEY, ts TEXT)")
        made.execute("INSERT INTO events VALUES (1, 'a')")
    return path


def state(folder: Path) -> dict[str, tuple[bytes, int, int, int]]:
    """Read everything that can change about the files of a directory."""
    found = sorted(folder.iterdir())
    return {
        path.name: (path.read_bytes(), (it := path.stat()).st_mtime_ns, it.st_ino, it.st_ctime_ns)
        for path in found
    }


def events(path: Path) -> list[dict[str, Any]]:
    with foreign.opened(path) as found:
        return list(found.rows("events", EVENTS, order="id"))


@pytest.fixture
def logged(source: Path) -> Iterator[Path]:
    """The database with a second event that stands in its log alone, while its writer lives."""
    writer = sqlite3.connect(source, isolation_level=None)
    writer.execute("PRAGMA journal_mode=WAL")
    writer.execute("INSERT INTO events VALUES (2, 'b')")
    yield source
    writer.close()


def test_a_log_that_is_not_merged_is_read_and_nothing_is_touched(logged: Path) -> None:
    before = state(logged.parent)
    assert set(before) == {"state.db", "state.db-wal", "state.db-shm"}
    assert b"b" not in before["state.db"][0][-100:]
    assert [row["ts"] for row in events(logged)] == ["a", "b"]
    assert state(logged.parent) == before


def test_a_log_that_a_killed_writer_left_is_read_and_stays(logged: Path, tmp_path: Path) -> None:
    left = tmp_path / "left"
    left.mkdir()
    for part in ("", "-wal"):
        shutil.copyfile(f"{logged}{part}", left / f"state.db{part}")
    before = state(left)
    assert [row["ts"] for row in events(left / "state.db")] == ["a", "b"]
    assert state(left) == before


def test_a_journal_that_a_killed_writer_left_is_honoured_and_stays(source: Path, tmp_path: Path) -> None:
    left = tmp_path / "left"
    left.mkdir()
    with closing(sqlite3.connect(source, isolation_level=None)) as writer:
        writer.executemany("INSERT INTO events VALUES (?, ?)", [(2 + n, "b" * 3000) for n in range(50)])
        # So small a cache puts pages of an unfinished transaction into the file.
        writer.execute("PRAGMA cache_size=1")
        writer.execute("BEGIN")
        writer.execute("UPDATE events SET ts = 'c' || ts")
        for part in ("", "-journal"):
            shutil.copyfile(f"{source}{part}", left / f"state.db{part}")
        writer.execute("ROLLBACK")
    before = state(left)
    assert b"cbbb" in before["state.db"][0]
    assert {row["ts"][0] for row in events(left / "state.db")} == {"a", "b"}
    assert state(left) == before


def test_a_directory_that_may_not_be_written_is_enough(logged: Path) -> None:
    logged.parent.chmod(0o500)
    try:
        assert len(events(logged)) == 2
    finally:
        logged.parent.chmod(0o700)


def test_a_link_leads_to_the_log_beside_the_file_itself(logged: Path, tmp_path: Path) -> None:
    (tmp_path / "link.db").symlink_to(logged)
    assert len(events(tmp_path / "link.db")) == 2


_WRITER = """
import sqlite3, sys
raw = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=30)
raw.execute("PRAGMA journal_mode=" + sys.argv[2])
raw.execute("PRAGMA wal_autocheckpoint=3")
print("ready", flush=True)
number = 2
while True:
    raw.execute("BEGIN IMMEDIATE")
    raw.executemany("INSERT INTO events VALUES (?, ?)", [(number + it, "x" * 900) for it in range(10)])
    number += 10
    raw.execute("COMMIT")
"""


@pytest.mark.parametrize("mode", ["wal", "delete"])
def test_a_database_that_is_being_written_is_read_as_of_one_moment_or_not_at_all(
    source: Path, mode: str
) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _WRITER, str(source), mode], stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
        try:
            for _turn in range(10):
                with suppress(TransientError):
                    found = events(source)
                    # Whole transactions only, in order and without a gap.
                    assert [row["id"] for row in found] == list(range(1, len(found) + 1))
                    assert len(found) % 10 == 1
        finally:
            writer.kill()
    assert len(events(source)) % 10 == 1


def test_a_change_while_it_is_copied_is_seen_and_it_is_copied_again(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy, turns = shutil.copyfile, []

    def slowly(original: Path, target: Path) -> None:
        copy(original, target)
        turns.append(original)
        if len(turns) == 1:
            before = original.stat()
            with closing(sqlite3.connect(original)) as writer, writer:
                writer.execute("UPDATE events SET ts = 'c'")
            # As if the clock of the file system had not moved on.
            os.utime(original, ns=(before.st_atime_ns, before.st_mtime_ns))

    monkeypatch.setattr(foreign_copy.shutil, "copyfile", slowly)
    assert [row["ts"] for row in events(source)] == ["c"]
    assert turns.count(source.resolve()) == 2


def of_another_program(path: Path) -> None:
    with closing(sqlite3.connect(path)) as made, made:
        made.execute("CREATE TABLE events (id INTEGER PRIMARY KEY, ts TEXT)")
        made.execute("CREATE TABLE schema_migrations (id TEXT, version INTEGER)")


@pytest.mark.parametrize(
    ("make", "kind", "status", "said"),
    [
        (lambda _path: None, NotFoundError, 1, "There is no file"),
        (lambda path: path.mkdir(), UsageError, 2, "is a directory"),
        (lambda path: os.mkfifo(path), UsageError, 2, "is no file"),
        (lambda path: path.touch(), UsageError, 2, "is not a SQLite database"),
        (lambda path: path.write_text("hello" * 99), UsageError, 2, "is not a SQLite database"),
        (lambda path: path.write_bytes(b"SQLite format 3\0" + b"x" * 999), ConfigError, 78, "not a SQLite"),
        (of_another_program, UsageError, 2, "but not one of akm-cli"),
    ],
)
def test_what_is_no_database_of_akm_cli_is_refused_in_one_sentence(
    tmp_path: Path, make: Any, kind: type[AkmError], status: int, said: str
) -> None:
    path = tmp_path / "odd.db"
    make(path)
    with pytest.raises(kind, match=said) as refused:
        events(path)
    assert refused.value.exit_status == status
    assert "\n" not in refused.value.message
    assert str(path) in refused.value.message


def test_akms_own_database_is_refused(db_path: Path) -> None:
    with pytest.raises(UsageError, match="is akm's own database"):
        events(db_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_refused(source: Path) -> None:
    source.chmod(0)
    with pytest.raises(ConfigError, match="cannot be read"):
        events(source)


def test_a_name_that_no_file_can_have_is_refused() -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        events(Path("a\0b"))


def test_a_damaged_database_is_told_by_its_own_name(source: Path) -> None:
    with closing(sqlite3.connect(source)) as made, made:
        made.executemany("INSERT INTO events VALUES (?, ?)", [(2 + n, "b" * 3000) for n in range(50)])
    with source.open("r+b") as file:
        file.seek(4096 * 4)
        file.write(b"\xff" * 4096 * 20)
    with pytest.raises(ConfigError, match=r"theirs/state\.db is damaged"):
        events(source)


def test_no_room_for_the_copy_is_told(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_original: Path, _target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(foreign_copy.shutil, "copyfile", full)
    with pytest.raises(TransientError, match="no room for a copy"):
        events(source)


def test_the_copy_is_gone_afterwards(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    before = sorted(tmp_path.iterdir())
    with foreign.opened(source):
        assert sorted(tmp_path.iterdir()) != before
    assert sorted(tmp_path.iterdir()) == before
