"""Files that cannot be used: akm's word for each, and nothing half written."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from builders import AT, dump, publish

from akm.errors import AkmError, ConfigError, TransientError
from akm.services import events
from akm.store.connect import connect, translate
from akm.store.database import Database
from akm.store.opening import open_database


def a_directory(path: Path) -> Path:
    path.mkdir()
    return path


def a_pipe(path: Path) -> Path:
    os.mkfifo(path)
    return path


def below_a_file(path: Path) -> Path:
    path.write_text("")
    return path / "state.db"


def below_a_dangling_link(path: Path) -> Path:
    path.symlink_to(path.parent / "nowhere")
    return path / "state.db"


def where_nothing_can_be_made(_path: Path) -> Path:
    return Path("/proc/no-such-directory/state.db")


def some_text(path: Path) -> Path:
    path.write_text("Dear diary, this is no database." * 40)
    return path


def damaged(path: Path) -> Path:
    open_database(path, synchronous="normal").close()
    # The header stays, so that it still passes for a database.
    path.write_bytes(path.read_bytes()[:100] + b"\xff" * 8000)
    return path


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (a_directory, "is a directory"),
        # Opening it would wait for whoever writes to it.
        (a_pipe, "is no file"),
        (below_a_file, "cannot be opened"),
        (below_a_dangling_link, "cannot be opened"),
        (where_nothing_can_be_made, "cannot be opened"),
        (some_text, "is not a SQLite database"),
        (damaged, "is damaged"),
    ],
)
def test_an_unusable_file_is_one_sentence_that_names_it(tmp_path: Path, make: object, words: str) -> None:
    path: Path = make(tmp_path / "state.db")  # type: ignore[operator]
    with pytest.raises(ConfigError, match=words) as refused:
        open_database(path)
    assert str(path) in refused.value.message
    assert refused.value.code == "DATABASE_UNUSABLE"
    assert refused.value.exit_status == 78


def test_a_read_only_file_refuses_writes_in_one_sentence(db_path: Path) -> None:
    connection = connect(db_path, read_only=True)
    with Database(connection, db_path) as db, pytest.raises(ConfigError, match="is read-only"):
        events.record(db, "tried", at=AT, metadata={})


AS_ANOTHER = """
import os, sys
from pathlib import Path
from akm.errors import AkmError
from akm.services import events
from akm.store.opening import open_database
if os.getuid() == 0:
    os.setuid(65534)
try:
    with open_database(Path(sys.argv[1])) as db:
        events.record(db, "tried", at="t", metadata={})
except AkmError as error:
    print(type(error).__name__, error.message)
"""


@pytest.mark.parametrize(
    ("of_directory", "of_file", "words"),
    [
        (0o555, 0o444, "is read-only; make it writable"),
        (0o777, 0o444, "is read-only; make it writable"),
        (0o777, 0o000, "cannot be opened; check"),
        (0o000, 0o666, "cannot be opened; check"),
    ],
)
def test_who_may_not_write_is_told_in_one_sentence(
    db_path: Path, of_directory: int, of_file: int, words: str
) -> None:
    # Not below the directory of the tests, which nobody else may enter.
    folder = Path(tempfile.mkdtemp())
    path = Path(shutil.copyfile(db_path, folder / "state.db"))
    path.chmod(of_file)
    folder.chmod(of_directory)
    try:
        command = [sys.executable, "-c", AS_ANOTHER, str(path)]
        done = subprocess.run(command, capture_output=True, text=True)
    finally:
        folder.chmod(0o700)
        shutil.rmtree(folder)
    assert done.stderr == ""
    assert done.stdout.startswith(f"ConfigError The database {path} {words}")


def test_a_missing_file_is_not_made_by_a_reader(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with pytest.raises(ConfigError, match="cannot be opened"):
        connect(path, read_only=True)
    assert not path.exists()


def test_a_full_disk_is_transient_and_takes_the_act_back(db: Database) -> None:
    publish(db)
    before = dump(db)
    (pages,) = db.connection.execute("PRAGMA page_count").fetchone()
    db.connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(TransientError) as refused:
        publish(db, plan_json="x" * 500_000)
    assert refused.value.code == "DATABASE_FULL"
    assert not db.connection.in_transaction
    assert dump(db) == before
    db.connection.execute("PRAGMA max_page_count = 100000")
    publish(db)


FILL = """
import sys
import tempfile
from pathlib import Path
sys.path[:0] = sys.argv[2:]
from builders import dump, publish
from akm.errors import AkmError
from akm.store.opening import open_database
with open_database(Path(sys.argv[1]), synchronous="normal") as db:
    publish(db)
    before = dump(db)
    try:
        publish(db, plan_json="x" * 3_000_000)
    except AkmError as error:
        assert dump(db) == before
        print(type(error).__name__, error.message)
"""


def test_a_file_that_may_not_grow_is_an_error_of_the_disk(db_path: Path) -> None:
    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))

    command = [sys.executable, "-c", FILL, str(db_path), str(Path(__file__).parents[1])]
    done = subprocess.run(command, preexec_fn=limit, capture_output=True, text=True)
    assert done.stdout.startswith(
        f"ConfigError The disk reported an error while reading or writing {db_path}"
    )
    assert done.stderr == ""


def test_an_error_without_a_sentence_is_a_bug_that_names_its_kind(tmp_path: Path) -> None:
    error = translate(sqlite3.ProgrammingError("odd"), tmp_path / "state.db")
    assert type(error) is AkmError
    assert error.exit_status == 70
    assert "ProgrammingError: odd" in error.message
