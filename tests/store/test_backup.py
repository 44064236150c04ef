"""A backup is whole, sound and of one moment, whoever writes meanwhile; and it never destroys anything."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import IO

import pytest
from builders import attempt, dump, publish

from akm.errors import AkmError, ConfigError, NotFoundError, TransientError, UsageError
from akm.store import backup, copies
from akm.store.opening import open_database

HERE = Path(__file__).parent
BIG = '"' + "x" * 1_000_000 + '"'


@contextmanager
def writing(path: Path) -> Iterator[IO[str]]:
    """Let another process write events; yields the numbers that it has committed."""
    command = [sys.executable, str(HERE / "writing.py"), str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        try:
            yield writer.stdout
        finally:
            writer.kill()


def numbers(path: Path) -> list[int]:
    with closing(sqlite3.connect(path)) as raw:
        query = "SELECT json_extract(metadata_json, '$.number') FROM events WHERE event_type = 'written'"
        return [row[0] for row in raw.execute(f"{query} ORDER BY id")]


def filled(path: Path) -> None:
    with open_database(path, synchronous="normal") as db:
        attempt(db, publish(db, 2), result_json=BIG)


def test_a_backup_holds_every_row_and_says_how_many_and_how_large(db_path: Path, tmp_path: Path) -> None:
    filled(db_path)
    done = backup.write(db_path, tmp_path / "copy.db")
    copy = dump(tmp_path / "copy.db")
    assert copy == dump(db_path)
    assert done["bytes"] == (tmp_path / "copy.db").stat().st_size > len(BIG)
    counted = {name: len(rows) for name, rows in copy.items() if name in done["tables"]}
    assert done["tables"] == counted
    assert done["rows"] == sum(counted.values()) > 5
    assert (tmp_path / "copy.db").stat().st_mode & 0o777 == 0o600
    assert {path.name for path in tmp_path.iterdir() if "copy" in path.name} == {"copy.db"}


def test_rows_that_are_only_in_the_log_are_in_the_backup(db_path: Path, tmp_path: Path) -> None:
    with open_database(db_path, synchronous="normal") as db:
        publish(db)
        assert Path(f"{db_path}-wal").stat().st_size > 0
        backup.write(db_path, tmp_path / "copy.db")
        assert dump(tmp_path / "copy.db") == dump(db)


def test_a_writer_goes_on_between_the_steps_of_a_backup_of_one_moment(
    db_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(db_path)
    monkeypatch.setattr(copies, "PAGES_AT_ONCE", 10)
    committed: list[int] = []
    with writing(db_path) as lines:
        first = int(lines.readline())

        def wait_for_a_write(*_progress: int) -> None:
            committed.append(len(numbers(db_path)))
            while len(numbers(db_path)) == committed[-1]:
                lines.readline()

        monkeypatch.setattr(copies, "_step", wait_for_a_write)
        backup.write(db_path, tmp_path / "copy.db")
    assert len(committed) > 20
    seen = numbers(tmp_path / "copy.db")
    assert seen == list(range(1, len(seen) + 1))
    assert first <= len(seen) < committed[-1]


def test_backups_under_a_writing_process_are_all_sound(db_path: Path, tmp_path: Path) -> None:
    filled(db_path)
    with writing(db_path) as lines:
        for number in range(5):
            last = int(lines.readline())
            copy = tmp_path / f"{number}.db"
            backup.write(db_path, copy)
            seen = numbers(copy)
            assert seen == list(range(1, len(seen) + 1))
            assert len(seen) >= last
            for _line in range(20):
                lines.readline()


def test_a_file_that_is_there_stays_unless_it_is_said(db_path: Path, tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    target.write_text("a letter")
    with pytest.raises(UsageError, match="exists already") as refused:
        backup.write(db_path, target)
    assert refused.value.code == "RESOURCE_ALREADY_EXISTS"
    assert target.read_text() == "a letter"
    backup.write(db_path, target, force=True)
    assert dump(target) == dump(db_path)


@pytest.mark.parametrize("force", [False, True])
def test_the_database_itself_and_one_in_use_are_never_overwritten(
    db_path: Path, tmp_path: Path, force: bool
) -> None:
    link = tmp_path / "link.db"
    link.symlink_to(db_path)
    for itself in (db_path, link):
        with pytest.raises(UsageError, match="the database itself"):
            backup.write(db_path, itself, force=force)
    other = tmp_path / "other.db"
    with open_database(other, synchronous="normal") as db:
        publish(db)
        with pytest.raises(UsageError, match=r"other\.db-wal is beside it"):
            backup.write(db_path, other, force=force)
        assert len(dump(db)["workflow_runs"]) == 1
    with pytest.raises(UsageError, match="is a directory"):
        backup.write(db_path, tmp_path, force=force)


def test_a_pipe_or_a_device_is_never_replaced_by_a_file(db_path: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="pipe is no file, so nothing is written over it"):
        backup.write(db_path, tmp_path / "pipe", force=True)
    assert (tmp_path / "pipe").is_fifo()
    assert [found.name for found in tmp_path.glob("*pipe*")] == ["pipe"]


def test_a_folder_that_takes_no_file_is_told_in_one_sentence(db_path: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="does not exist; make it first"):
        backup.write(db_path, tmp_path / "nowhere/copy.db")
    assert not (tmp_path / "nowhere").exists()
    with pytest.raises(ConfigError, match="Nothing can be written in /proc"):
        backup.write(db_path, Path("/proc/copy.db"))
    with pytest.raises(NotFoundError, match="There is no database"):
        backup.write(tmp_path / "none.db", tmp_path / "copy.db")
    assert not list(tmp_path.glob("*copy*"))


def test_a_disk_that_is_too_small_is_told_before_anything_is_copied(
    db_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "statvfs", lambda _folder: SimpleNamespace(f_bavail=2, f_frsize=4096))
    with pytest.raises(TransientError, match="has 8,192 bytes free and the copy needs") as refused:
        backup.write(db_path, tmp_path / "copy.db")
    assert refused.value.code == "DATABASE_FULL"
    assert not list(tmp_path.glob("*copy*"))


LIMITED = """
import sys
from pathlib import Path
from akm.errors import AkmError
from akm.store import backup
try:
    backup.write(Path(sys.argv[1]), Path(sys.argv[2]))
except AkmError as error:
    print(type(error).__name__, error.message)
"""


def test_a_copy_that_cannot_grow_leaves_nothing_behind(db_path: Path, tmp_path: Path) -> None:
    filled(db_path)

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, 500_000))

    command = [sys.executable, "-c", LIMITED, str(db_path), str(tmp_path / "copy.db")]
    done = subprocess.run(command, preexec_fn=limit, capture_output=True, text=True)
    assert (done.stderr, done.stdout.count("\n")) == ("", 1)
    assert done.stdout.startswith("ConfigError The disk reported an error")
    assert not list(tmp_path.glob("*copy*"))


def test_a_damaged_database_is_no_backup(db_path: Path, tmp_path: Path) -> None:
    filled(db_path)
    content = bytearray(db_path.read_bytes())
    content[8192:12288] = b"\xff" * 4096
    db_path.write_bytes(content)
    with pytest.raises(AkmError, match="is damaged") as refused:
        backup.write(db_path, tmp_path / "copy.db")
    assert refused.value.code == "DATABASE_UNUSABLE"
    assert not list(tmp_path.glob("*copy*"))


def test_a_newer_database_is_backed_up_and_its_bytes_stay(db_path: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(db_path)) as raw:
        raw.execute("UPDATE alembic_version SET version_num = '9999'")
        raw.execute("CREATE TABLE later (word TEXT)")
        raw.execute("INSERT INTO later VALUES ('new')")
        raw.commit()
    before = db_path.read_bytes()
    done = backup.write(db_path, tmp_path / "copy.db")
    assert (done["revision"], done["tables"]["later"]) == ("9999", 1)
    assert db_path.read_bytes() == before


AS_ANOTHER = LIMITED.replace("try:", "import os\nos.getuid() or os.setuid(65534)\ntry:")


def test_a_database_in_a_folder_where_nothing_may_be_made_is_backed_up(db_path: Path) -> None:
    # Not below the directory of the tests, which nobody else may enter.
    folder = Path(tempfile.mkdtemp())
    (folder / "out").mkdir(mode=0o777)
    (folder / "out").chmod(0o777)
    path = Path(shutil.copyfile(db_path, folder / "state.db"))
    path.chmod(0o444)
    folder.chmod(0o555)
    try:
        command = [sys.executable, "-c", AS_ANOTHER, str(path), str(folder / "out/copy.db")]
        done = subprocess.run(command, capture_output=True, text=True)
        assert (done.stdout, done.stderr) == ("", "")
        assert dump(folder / "out/copy.db") == dump(db_path)
    finally:
        folder.chmod(0o700)
        shutil.rmtree(folder)
