"""What the migrations make is what the models say, and every revision goes both ways."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import create_engine
from sqlmodel import SQLModel

import akm.models
from akm.store import drift, schema, sql
from akm.store.generate import revisions

#: Tables that Alembic and SQLite keep for themselves.
OWN = ("alembic_version", "sqlite_sequence")


def made(path: Path) -> drift.Parts:
    with closing(sqlite3.connect(path)) as connection:
        return drift.parts(connection)


def columns(path: Path) -> dict[str, list[tuple[object, ...]]]:
    connection = sqlite3.connect(path)
    names = [name for kind, name in made(path) if kind == "table" and not name.startswith("sqlite_")]
    found = {name: connection.execute(f"PRAGMA table_info({name})").fetchall() for name in names}
    connection.close()
    return found


def test_a_fresh_file_is_what_the_models_make(migrated: Path, tmp_path: Path) -> None:
    assert akm.models
    path = tmp_path / "models.db"
    engine = create_engine(f"sqlite:///{path}")
    SQLModel.metadata.create_all(engine)
    engine.dispose()
    assert made(migrated) == made(path)
    # In the same order as well: long values must stand last.
    assert columns(migrated) == columns(path)


def test_a_fresh_file_is_what_all_the_revisions_make(migrated: Path, tmp_path: Path) -> None:
    path = tmp_path / "revisions.db"
    schema.upgrade(path)
    assert made(migrated) == made(path)
    assert columns(migrated) == columns(path)
    assert revision_of(migrated) == revision_of(path) == sql.REVISIONS[-1]


def test_making_a_fresh_file_needs_no_alembic(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from akm.store.opening import open_database\n"
        "open_database(Path(sys.argv[1])).close()\n"
        "print([name for name in ('alembic', 'sqlalchemy') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "new.db")], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
    assert revision_of(tmp_path / "new.db") == sql.REVISIONS[-1]


def revision_of(path: Path) -> str | None:
    with closing(sqlite3.connect(path)) as connection:
        return schema.revision(connection)


def test_a_file_that_differs_from_the_models_is_told(db_path: Path) -> None:
    assert drift.first(db_path) is None
    connection = sqlite3.connect(db_path)
    connection.execute("DROP INDEX idx_events_ref")
    connection.close()
    difference = drift.first(db_path)
    assert difference is not None
    assert "idx_events_ref" in difference


def test_the_known_revisions_are_those_of_the_scripts() -> None:
    assert revisions() == sql.REVISIONS


def test_upgrading_a_current_file_changes_nothing(db_path: Path) -> None:
    before = db_path.read_bytes()
    schema.upgrade(db_path)
    assert db_path.read_bytes() == before


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("DROP TABLE registry_index_cache", "index idx_registry_cache_fetched is missing"),
        ("CREATE TABLE extra (id TEXT)", "table extra is not known"),
        ("ALTER TABLE events ADD COLUMN more TEXT", "table events has its columns"),
        ("DROP INDEX idx_events_ts", "index idx_events_ts is missing"),
    ],
)
def test_every_kind_of_difference_is_told(db_path: Path, change: str, told: str) -> None:
    with closing(sqlite3.connect(db_path)) as connection:
        connection.execute(change)
    difference = drift.first(db_path)
    assert difference is not None
    assert difference.startswith(told)


def test_a_lost_check_is_a_difference(db_path: Path) -> None:
    with closing(sqlite3.connect(db_path)) as connection:
        text = connection.execute("SELECT sql FROM sqlite_master WHERE name = 'workflow_runs'").fetchone()[0]
        loose = text.replace("'blocked', ", "").replace("TABLE workflow_runs", "TABLE renamed")
        connection.executescript(
            f"PRAGMA legacy_alter_table=ON; {loose}; DROP TABLE workflow_runs; "
            "ALTER TABLE renamed RENAME TO workflow_runs;"
        )
    difference = drift.first(db_path)
    assert difference is not None
    assert difference.startswith(("index idx_workflow_runs", "table workflow_runs lacks"))
