"""A restore puts a whole backup in the ledger's place, keeps the old one, and is refused while it is open."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from builders import AT, attempt, dump, later, publish, rows
from revisions import REBUILD, with_revision

from akm.errors import AkmError, ConfigError, NotFoundError, TransientError, UsageError
from akm.store import backup, opening, restore, schema, sql
from akm.store.connect import connect
from akm.store.opening import open_database

HERE = Path(__file__).parent


@pytest.fixture
def saved(db_path: Path, tmp_path: Path) -> Path:
    """A backup of one run; the ledger has gone on since and has two."""
    with open_database(db_path, synchronous="normal") as db:
        attempt(db, publish(db))
        backup.write(db_path, tmp_path / "saved.db")
        publish(db)
    return tmp_path / "saved.db"


def kept_files(path: Path) -> list[Path]:
    return sorted(path.parent.glob(f"{path.name}.before-restore-*"))


def leave_a_log(path: Path) -> None:
    """Let a writer die, so that its last run is in the log alone."""
    text = "import os, sys\nfrom pathlib import Path\nsys.path[:0] = sys.argv[2:]\n"
    text += "from builders import publish\nfrom akm.store.opening import open_database\n"
    text += "publish(open_database(Path(sys.argv[1])))\nos._exit(0)\n"
    subprocess.run([sys.executable, "-c", text, str(path), str(HERE.parent)], check=True)
    assert Path(f"{path}-wal").stat().st_size > 0


def test_the_backup_is_the_ledger_and_the_old_one_is_kept_whole(db_path: Path, saved: Path) -> None:
    leave_a_log(db_path)
    done = restore.put_back(db_path, saved, at=AT)
    (kept,) = kept_files(db_path)
    assert done["kept"] == str(kept)
    assert not Path(f"{db_path}-wal").exists()
    assert not Path(f"{db_path}-shm").exists()
    assert len(dump(kept)["workflow_runs"]) == 3
    with open_database(db_path, synchronous="normal") as db:
        assert len(dump(db)["workflow_runs"]) == 1
        publish(db)
    assert len(dump(saved)["workflow_runs"]) == 1
    assert db_path.stat().st_mode & 0o777 == 0o600
    assert not list(db_path.parent.glob(".*"))


def test_a_kept_ledger_can_be_restored_in_its_turn(db_path: Path, saved: Path) -> None:
    before = dump(db_path)
    done = restore.put_back(db_path, saved, at=AT)
    restore.put_back(db_path, Path(done["kept"]), at=later(1))
    assert dump(db_path) == before
    assert len(kept_files(db_path)) == 2


def test_where_there_is_no_ledger_the_backup_becomes_it(tmp_path: Path, saved: Path) -> None:
    (tmp_path / "new").mkdir()
    Path(tmp_path / "new/state.db-wal").write_bytes(b"left by a ledger that somebody removed")
    done = restore.put_back(tmp_path / "new/state.db", saved, at=AT)
    assert done["kept"] is None
    assert dump(tmp_path / "new/state.db") == dump(saved)


def test_a_ledger_behind_a_link_is_replaced_where_it_is(db_path: Path, tmp_path: Path, saved: Path) -> None:
    (tmp_path / "here").mkdir()
    link = tmp_path / "here/state.db"
    link.symlink_to(db_path)
    restore.put_back(link, saved, at=AT)
    assert link.is_symlink()
    assert dump(db_path) == dump(saved)
    assert len(kept_files(db_path)) == 1


def test_a_ledger_that_is_damaged_is_kept_with_its_log(db_path: Path, saved: Path) -> None:
    db_path.write_bytes(b"\xff" * 9000)
    Path(f"{db_path}-wal").write_bytes(b"log")
    done = restore.put_back(db_path, saved, at=AT)
    assert dump(db_path) == dump(saved)
    assert Path(done["kept"]).read_bytes() == b"\xff" * 9000
    assert Path(f"{done['kept']}-wal").read_bytes() == b"log"


HOLD = """
import sys
from pathlib import Path
from akm.store.opening import open_database
with open_database(Path(sys.argv[1])) as db:
    if sys.argv[2] == "reading":
        db.connection.execute("BEGIN").execute("SELECT * FROM events")
    if sys.argv[2] == "writing":
        db.connection.execute("BEGIN IMMEDIATE")
    print("ready", flush=True)
    sys.stdin.readline()
"""


@pytest.mark.parametrize("what", ["idle", "reading", "writing"])
def test_it_is_refused_while_another_process_has_the_ledger_open(
    db_path: Path, saved: Path, what: str
) -> None:
    before = dump(db_path)
    command = [sys.executable, "-c", HOLD, str(db_path), what]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"ready\n"
        with pytest.raises(TransientError, match="Another process has the database") as refused:
            restore.put_back(db_path, saved, at=AT)
        assert refused.value.code == "STATE_DB_CONTENDED"
        holder.communicate(b"\n")
    assert dump(db_path) == before
    assert kept_files(db_path) == []
    restore.put_back(db_path, saved, at=AT)


def with_a_newer_revision(path: Path) -> str:
    change(path, "UPDATE alembic_version SET version_num = '9999'")
    return "newer than this akm's"


def of_somebody_else(path: Path) -> str:
    path.unlink()
    change(path, "CREATE TABLE letters (word TEXT)")
    return "is no ledger of akm"


def damaged(path: Path) -> str:
    content = bytearray(path.read_bytes())
    content[8192:12288] = b"\xff" * 4096
    path.write_bytes(content)
    return "is damaged"


def no_database(path: Path) -> str:
    path.write_text("Dear diary, this is no database." * 100)
    return "is not a SQLite database"


def empty(path: Path) -> str:
    path.write_bytes(b"")
    return "is no ledger of akm"


def with_orphans(path: Path) -> str:
    change(path, "DELETE FROM workflow_runs")
    return "whose run is missing"


def change(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as raw:
        raw.execute(statement)
        raw.commit()


@pytest.mark.parametrize(
    "spoil", [with_a_newer_revision, of_somebody_else, damaged, no_database, empty, with_orphans]
)
def test_what_is_no_healthy_ledger_is_refused_and_nothing_changes(
    db_path: Path, saved: Path, spoil: Callable[[Path], str]
) -> None:
    before = dump(db_path)
    words = spoil(saved)
    with pytest.raises(ConfigError, match=words) as refused:
        restore.put_back(db_path, saved, at=AT)
    assert str(saved) in refused.value.message
    assert (dump(db_path), kept_files(db_path)) == (before, [])
    assert not list(db_path.parent.glob(".*"))


def test_the_ledger_itself_and_a_file_that_is_not_there_are_no_backups(db_path: Path) -> None:
    with pytest.raises(UsageError, match="the database itself"):
        restore.put_back(db_path, db_path, at=AT)
    with pytest.raises(NotFoundError, match="There is no database"):
        restore.put_back(db_path, db_path.with_name("none.db"), at=AT)


def test_a_database_of_another_program_is_not_replaced(tmp_path: Path, saved: Path) -> None:
    change(tmp_path / "theirs.db", "CREATE TABLE letters (word TEXT)")
    with pytest.raises(ConfigError, match="is a database of another program"):
        restore.put_back(tmp_path / "theirs.db", saved, at=AT)
    assert "letters" in dump(tmp_path / "theirs.db")


def test_an_older_backup_is_upgraded_when_it_is_next_opened(
    db_path: Path, saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = with_revision(tmp_path / "alembic", REBUILD)
    monkeypatch.setattr(schema, "script_location", lambda: copy)
    older = sql.REVISIONS[-1]
    monkeypatch.setattr(sql, "REVISIONS", (*sql.REVISIONS, "0999"))
    assert restore.put_back(db_path, saved, at=AT)["revision"] == older
    with open_database(db_path, synchronous="normal") as db:
        assert schema.revision(db.connection) == "0999"
        assert len(rows(db, "SELECT 1 FROM workflow_runs")) == 1


def test_where_files_cannot_have_two_names_nothing_is_restored(
    db_path: Path, saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_names: Any) -> None:
        raise PermissionError(1, "Operation not permitted")

    before = dump(db_path)
    monkeypatch.setattr(os, "link", refuse)
    with pytest.raises(ConfigError, match="cannot be kept as"):
        restore.put_back(db_path, saved, at=AT)
    assert dump(db_path) == before


def test_who_was_opening_the_ledger_during_a_restore_gets_the_new_one(
    db_path: Path, saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[int] = []

    def connect_and_wait(path: Path, **options: Any) -> sqlite3.Connection:
        connection = connect(path, **options)
        if not opened:
            opened.append(1)
            # It holds no lock before it has read anything.
            restore.put_back(db_path, saved, at=AT)
        return connection

    monkeypatch.setattr(opening, "connect", connect_and_wait)
    with open_database(db_path, synchronous="normal") as db:
        publish(db)
    assert len(dump(db_path)["workflow_runs"]) == 2
    assert len(dump(kept_files(db_path)[0])["workflow_runs"]) == 2


@pytest.mark.parametrize("is_damaged", [False, True])
def test_killed_at_any_operation_nothing_is_lost_and_the_next_one_succeeds(
    migrated: Path, tmp_path: Path, is_damaged: bool
) -> None:
    folder = tmp_path / "source"
    folder.mkdir()
    shutil.copyfile(migrated, folder / "state.db")
    with open_database(folder / "state.db", synchronous="normal") as db:
        publish(db)
        backup.write(folder / "state.db", folder / "saved.db")
        publish(db)
    new = dump(folder / "saved.db")["workflow_runs"]
    if is_damaged:
        (folder / "state.db").write_bytes(b"\xff" * 9000)
        (folder / "state.db-wal").write_bytes(b"log")
    old = look(folder)
    ends = set()
    for number in range(1, 100):
        place = Path(shutil.copytree(folder, tmp_path / str(number)))
        command = [sys.executable, str(HERE / "restoring_killed.py"), str(place / "state.db")]
        done = subprocess.run([*command, str(place / "saved.db"), str(number)])
        assert (place / "state.db").exists()
        ends.add("old" if look(place) == old else "new")
        copies = [look(place, one.name) for one in (place / "state.db", *kept_files(place / "state.db"))]
        assert old in copies
        assert look(place) in (old, new)
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGKILL
        restore.put_back(place / "state.db", place / "saved.db", at=later(1))
        assert look(place) == new
        assert old in [look(place, one.name) for one in kept_files(place / "state.db")]
        assert all(one.stat().st_nlink == 1 for one in place.iterdir())
    assert number > 8
    assert ends == {"old", "new"}


def look(place: Path, name: str = "state.db") -> object:
    """Read a ledger's runs without touching it, or its bytes when it is damaged."""
    try:
        with closing(sqlite3.connect(f"file:{place / name}?mode=ro", uri=True)) as raw:
            return rows(raw, "SELECT rowid, * FROM workflow_runs ORDER BY rowid")
    except (sqlite3.Error, AkmError):
        return (place / name).read_bytes()
