"""Opening a ledger: created when missing, refused when somebody else's, only read when newer."""

from __future__ import annotations

import gc
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from builders import dump, publish
from racing import together
from service_calls import CALLS

from akm.errors import ConfigError
from akm.store import schema, sql
from akm.store.database import Database
from akm.store.opening import open_database
from akm.views import runs as run_views

OPEN = """
import sys
from pathlib import Path
from akm.store.opening import open_database
print("ready", flush=True)
sys.stdin.readline()
with open_database(Path(sys.argv[1]), synchronous="normal") as db:
    with db.immediate() as tx:
        tx._execute("INSERT INTO events (event_type, ts) VALUES ('opened', 't')")
"""


def make_newer(path: Path) -> None:
    """Stamp the ledger as a newer akm would have left it."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()


def test_a_missing_file_is_made_at_the_newest_revision(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "down" / "state.db"
    with open_database(path, synchronous="normal") as db:
        assert schema.revision(db.connection) == sql.REVISIONS[-1]
        assert (db.warnings, db.is_newer) == ((), False)
        publish(db)


def test_an_empty_file_is_filled(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    path.touch()
    with open_database(path, synchronous="normal") as db:
        publish(db)


def test_opening_again_changes_nothing(db_path: Path) -> None:
    before = db_path.read_bytes()
    open_database(db_path).close()
    assert db_path.read_bytes() == before
    assert [found.name for found in db_path.parent.glob("state.db*")] == ["state.db"]


def test_opening_a_current_file_imports_no_migrations(db_path: Path) -> None:
    code = OPEN + "\nassert not {'alembic', 'sqlalchemy', 'sqlmodel'} & set(sys.modules)"
    done = subprocess.run([sys.executable, "-c", code, str(db_path)], input="\n", text=True)
    assert done.returncode == 0


def test_eight_processes_may_make_one_file_at_once(tmp_path: Path) -> None:
    path = tmp_path / "new" / "state.db"
    assert together([sys.executable, "-c", OPEN, str(path)], 8) == [""] * 8
    assert len(dump(path)["events"]) == 8


@pytest.mark.parametrize(
    ("table", "words"), [("schema_migrations", "database of akm-cli"), ("pictures", "of another program")]
)
def test_somebody_elses_database_is_refused_untouched(tmp_path: Path, table: str, words: str) -> None:
    path = tmp_path / "state.db"
    connection = sqlite3.connect(path)
    connection.execute(f"CREATE TABLE {table} (id TEXT)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(ConfigError, match=words) as refused:
        open_database(path)
    assert str(path) in refused.value.message
    assert path.read_bytes() == before
    assert [found.name for found in tmp_path.iterdir()] == ["state.db"]


def test_a_newer_file_is_read_with_one_warning_and_never_written(db_path: Path) -> None:
    with open_database(db_path, synchronous="normal") as db:
        run_id = publish(db)
    make_newer(db_path)
    before = db_path.read_bytes()
    with open_database(db_path) as db:
        assert db.is_newer
        assert len(db.warnings) == 1
        assert all(word in db.warnings[0] for word in ("9999", sql.REVISIONS[-1], str(db_path)))
        assert run_views.resolve(db, run_id) == run_id
    assert db_path.read_bytes() == before


@pytest.mark.parametrize("name", CALLS)
def test_every_service_refuses_a_newer_file_and_names_both_revisions(db: Database, name: str) -> None:
    call = CALLS[name]
    value = call.prepare(db)
    make_newer(db.path)
    before = dump(db)
    with open_database(db.path) as newer:
        if name == "events.try_record":
            assert call.act(newer, value) is False
        else:
            with pytest.raises(ConfigError) as refused:
                call.act(newer, value)
            assert refused.value.code == "DATABASE_NEWER"
            assert all(word in refused.value.message for word in ("9999", sql.REVISIONS[-1]))
    assert dump(db) == before


def copied_with_its_log(db: Database, folder: Path) -> Path:
    """Copy a ledger as a crash leaves it: with a write-ahead log that nobody has merged."""
    folder.mkdir()
    for suffix in ("", "-wal"):
        # Copied by another process: a handle closed in this one would drop the locks of `db`.
        subprocess.run(["cp", f"{db.path}{suffix}", folder], check=True)
    return folder / db.path.name


@pytest.mark.parametrize("use", [lambda _db: None, lambda db: run_views.listing(db, run_views.Filters(None))])
def test_the_log_beside_a_newer_file_is_read_and_not_merged(
    db: Database, tmp_path: Path, use: Callable[[Database], object]
) -> None:
    publish(db)
    db.connection.execute("UPDATE alembic_version SET version_num = '9999'")
    path = copied_with_its_log(db, tmp_path / "crashed")
    content, before, log = dump(db), path.read_bytes(), Path(f"{path}-wal").read_bytes()
    assert log
    with open_database(path) as newer:
        use(newer)
        assert dump(newer) == content
    gc.collect()
    assert path.read_bytes() == before
    assert Path(f"{path}-wal").read_bytes() == log
    shutil.copytree(path.parent, tmp_path / "looked at")
    assert dump(tmp_path / "looked at" / path.name) == content


def test_a_newer_file_is_left_alone_when_the_process_ends(db: Database, tmp_path: Path) -> None:
    db.connection.execute("UPDATE alembic_version SET version_num = '9999'")
    path = copied_with_its_log(db, tmp_path / "crashed")
    before = path.read_bytes()
    code = "import sys; from pathlib import Path; from akm.store.opening import open_database\n"
    code += "with open_database(Path(sys.argv[1])) as db: assert db.is_newer"
    subprocess.run([sys.executable, "-c", code, str(path)], check=True)
    assert path.read_bytes() == before
