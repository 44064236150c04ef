"""Opening a SQLite file: its pragmas, its permissions and its journal."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from builders import publish

from akm.errors import ConfigError
from akm.store import connect as connecting
from akm.store.connect import connect, file_system_of, prepare
from akm.store.database import Database
from akm.store.opening import open_database

MOUNTS = r"""
/dev/vda / ext4 rw,relatime 0 0
server:/home /home nfs4 rw 0 0
/dev/vdb /home/local xfs rw 0 0
//server/share /mnt/my\040share cifs rw 0 0
"""


def pragma(connection: sqlite3.Connection, name: str) -> object:
    return connection.execute(f"PRAGMA {name}").fetchone()[0]


def test_a_file_is_opened_durable_with_foreign_keys_and_patience(db_path: Path) -> None:
    with open_database(db_path) as db:
        found = [
            pragma(db.connection, name)
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        ]
        assert db.connection.isolation_level is None
    assert found == ["wal", 2, 1, 30_000]


def test_less_durability_is_there_for_those_who_ask(db_path: Path) -> None:
    with open_database(db_path, synchronous="normal") as db:
        assert pragma(db.connection, "synchronous") == 1


def test_an_unknown_durability_is_refused(db_path: Path) -> None:
    with pytest.raises(ConfigError, match="AKM_SQLITE_SYNCHRONOUS"):
        open_database(db_path, synchronous="quick")


def test_a_new_file_and_its_directories_are_for_their_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "data" / "state.db"
    before = os.umask(0)
    try:
        open_database(path, synchronous="normal").close()
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_second_connection_leaves_the_locks_of_the_first(db: Database) -> None:
    taken = "import sqlite3, sys\nc = sqlite3.connect(sys.argv[1], timeout=0, isolation_level=None)\n"
    taken += "c.execute('PRAGMA locking_mode=EXCLUSIVE')\nc.execute('BEGIN IMMEDIATE')"
    with db.immediate() as tx:
        assert tx is not None
        connect(db.path).close()
        done = subprocess.run([sys.executable, "-c", taken, str(db.path)], stderr=subprocess.PIPE, text=True)
    assert "database is locked" in done.stderr


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/srv/state.db", "ext4"),
        ("/home/ann/state.db", "nfs4"),
        ("/home/local/state.db", "xfs"),
        ("/homes/state.db", "ext4"),
        ("/mnt/my share/state.db", "cifs"),
    ],
)
def test_the_innermost_mount_names_the_file_system(tmp_path: Path, path: str, kind: str) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(MOUNTS.lstrip())
    assert file_system_of(Path(path), mounts) == kind


def test_without_a_list_of_mounts_nothing_is_assumed(tmp_path: Path) -> None:
    assert file_system_of(tmp_path, tmp_path / "no-such-file") is None


@pytest.mark.parametrize("is_new", [True, False])
def test_a_network_file_system_gets_no_write_ahead_log_and_one_warning(
    db_path: Path, monkeypatch: pytest.MonkeyPatch, is_new: bool
) -> None:
    if is_new:
        db_path.unlink()
    with monkeypatch.context() as patch:
        patch.setattr(connecting, "file_system_of", lambda _path: "nfs4")
        with open_database(db_path, synchronous="normal") as db:
            assert pragma(db.connection, "journal_mode") == "delete"
            assert len(db.warnings) == 1
            assert "network file system (nfs4)" in db.warnings[0]
            publish(db)
            assert not Path(f"{db_path}-wal").exists()
    with open_database(db_path, synchronous="normal") as db:
        assert pragma(db.connection, "journal_mode") == "wal"
        assert db.warnings == ()


def test_preparing_does_not_switch_a_file_that_is_switched(db: Database) -> None:
    # Held by a reader, a switch would have to wait for its end.
    with open_database(db.path) as other, other.read():
        assert prepare(db.connection, db.path, "full") is None
