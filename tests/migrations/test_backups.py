"""Before an older file is upgraded it is copied; three such copies are kept."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from builders import attempt, dump, publish
from racing import together
from revisions import REBUILD, with_revision

from akm import clock
from akm.errors import AkmError
from akm.store import schema, sql
from akm.store.opening import back_up, open_database


def copies(path: Path) -> list[Path]:
    return sorted(path.parent.glob("*.bak"))


def newer_scripts(folder: Path, monkeypatch: pytest.MonkeyPatch, body: str = REBUILD) -> None:
    copy = with_revision(folder / "alembic", body)
    monkeypatch.setattr(schema, "script_location", lambda: copy)
    monkeypatch.setattr(sql, "REVISIONS", (*sql.REVISIONS, "0999"))


def test_an_older_file_is_upgraded_after_a_whole_copy_was_made(
    db_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_database(db_path, synchronous="normal") as db:
        attempt(db, publish(db, 2))
    before, old = dump(db_path), sql.REVISIONS[-1]
    newer_scripts(tmp_path, monkeypatch)
    with open_database(db_path, synchronous="normal") as db:
        assert schema.revision(db.connection) == "0999"
        assert not db.is_newer
    (copy,) = copies(db_path)
    assert f".before-{old}-" in copy.name
    assert dump(copy) == before
    open_database(db_path).close()
    assert copies(db_path) == [copy]
    assert not list(tmp_path.glob("*.partial*"))


def test_a_fresh_or_current_file_is_not_copied(tmp_path: Path) -> None:
    for _turn in range(2):
        open_database(tmp_path / "state.db", synchronous="normal").close()
    assert copies(tmp_path / "state.db") == []


def test_a_failed_upgrade_leaves_its_copy(
    db_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = dump(db_path)
    newer_scripts(tmp_path, monkeypatch, 'op.execute("INSERT INTO nowhere VALUES (1)")')
    with pytest.raises(AkmError):
        open_database(db_path)
    assert [dump(copy) for copy in copies(db_path)] == [before]


def test_the_newest_three_copies_are_kept(db_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Revisions of any length, so that it is the time that decides and not the name.
    made = []
    for turn, revision in enumerate(["9", "0001", "77", "5", "123"]):
        monkeypatch.setattr(clock, "now", lambda turn=turn: clock.stamp(turn))
        monkeypatch.setattr(schema, "revision", lambda _file, revision=revision: revision)
        made.append(back_up(db_path, revision))
    assert copies(db_path) == sorted(path for path in made[2:] if path)


def test_no_copy_is_kept_of_a_file_that_somebody_else_has_upgraded(db_path: Path) -> None:
    assert back_up(db_path, "0000") is None
    assert [found.name for found in db_path.parent.glob("state.db*")] == ["state.db"]


OPEN = """
import sys
from pathlib import Path
from akm.store import schema, sql
from akm.store.opening import open_database
schema.script_location = lambda: Path(sys.argv[2])
sql.REVISIONS = (*sql.REVISIONS, "0999")
print("ready", flush=True)
sys.stdin.readline()
with open_database(Path(sys.argv[1]), synchronous="normal") as db:
    assert schema.revision(db.connection) == "0999"
"""


def test_processes_that_upgrade_one_file_at_once_all_succeed_and_copy_the_old_one(
    db_path: Path, tmp_path: Path
) -> None:
    with open_database(db_path, synchronous="normal") as db:
        attempt(db, publish(db, 2))
    before = dump(db_path)
    command = [sys.executable, "-c", OPEN, str(db_path), str(with_revision(tmp_path / "scripts", REBUILD))]
    assert together(command, 4) == [""] * 4
    after = dump(db_path)
    assert {name: len(rows) for name, rows in after.items()} == {
        name: len(rows) for name, rows in before.items()
    }
    assert 1 <= len(copies(db_path)) <= 3
    assert [dump(copy) for copy in copies(db_path)] == [before] * len(copies(db_path))
