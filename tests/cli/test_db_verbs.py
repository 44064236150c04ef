"""The database verbs on a sound file, on none, and on files that are something else."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import workflow_files
from workflow_files import a_file, a_step

from akm.store import sql

Run = Callable[..., Any]
HEAD = sql.REVISIONS[-1]


@pytest.fixture
def path(home: Path) -> Path:
    """Where the command looks for its database."""
    return home / "data/state.db"


@pytest.fixture
def sound(path: Path, migrated: Path) -> Path:
    """A database at the newest revision."""
    path.parent.mkdir()
    return Path(shutil.copyfile(migrated, path))


def test_upgrade_makes_the_database_and_may_be_repeated(run: Run, path: Path) -> None:
    for _again in range(2):
        ended = run("db", "upgrade")
        assert (ended.status, ended.result["revision"]) == (0, HEAD)
    assert path.stat().st_mode & 0o777 == 0o600


def test_current_and_check_of_a_sound_database(run: Run, sound: Path) -> None:
    assert run("db", "current").result == {
        "ok": True,
        "path": str(sound),
        "revision": HEAD,
        "head": HEAD,
        "isCurrent": True,
    }
    ended = run("db", "check")
    assert (ended.status, ended.result["ok"], ended.result["problems"]) == (0, True, [])
    assert "is sound" in run("db", "check", "--format", "text").out


def test_a_missing_database_is_told_and_not_made(run: Run, path: Path) -> None:
    shown = run("db", "current").result
    assert (shown["revision"], shown["isCurrent"]) == (None, False)
    assert "has no tables yet" in run("db", "current", "--format", "text").out
    for verb in (("check",), ("downgrade", "base", "--yes")):
        ended = run("db", *verb)
        assert (ended.status, ended.error["code"]) == (1, "FILE_NOT_FOUND")
    assert not path.exists()


def test_downgrading_loses_rows_only_when_that_was_said_and_keeps_a_copy(
    run: Run, home: Path, sound: Path
) -> None:
    workflow_files.write(home / "project", "w", a_file(a_step("a")))
    run_id = run("workflow", "run", "w").result["run"]["id"]
    refused = run("db", "downgrade", "base")
    assert refused.status == 2
    assert "workflow_runs (1 row)" in refused.error["error"]
    assert "--yes" in refused.error["hint"]
    assert run("workflow", "status", run_id).status == 0
    assert not list(sound.parent.glob("*.bak"))
    done = run("db", "downgrade", "base", "--yes").result
    assert done["revision"] is None
    shutil.copyfile(done["backup"], sound)
    assert run("workflow", "status", run_id).status == 0


def test_an_older_revision_is_taken_with_a_copy_and_the_next_command_brings_it_up_again(
    run: Run, sound: Path
) -> None:
    assert run("db", "downgrade", HEAD).result["backup"] is None
    assert not list(sound.parent.glob("*.bak"))
    told = run("db", "downgrade", sql.REVISIONS[-2], "--format", "text").out.splitlines()
    (copy,) = sound.parent.glob("*.bak")
    assert told[:2] == [
        f"{sound} is at revision {sql.REVISIONS[-2]}.",
        f"What it held before is kept in {copy}.",
    ]
    assert run("workflow", "list").status == 0
    assert run("db", "current").result["revision"] == HEAD


@pytest.mark.usefixtures("sound")
def test_a_revision_that_does_not_exist_lists_those_that_do(run: Run) -> None:
    ended = run("db", "downgrade", "17")
    assert ended.status == 2
    assert f"base, {', '.join(sql.REVISIONS)}" in ended.error["error"]


def test_a_newer_database_is_read_and_never_written(run: Run, sound: Path) -> None:
    with sqlite3.connect(sound) as raw:
        raw.execute("UPDATE alembic_version SET version_num = '9999'")
    raw.close()
    before = sound.read_bytes()
    assert run("db", "current").result["revision"] == "9999"
    listed = run("workflow", "list")
    assert (listed.status, listed.result["runs"]) == (0, [])
    assert "newer" in listed.err
    ended = run("db", "upgrade")
    assert (ended.status, ended.error["code"]) == (78, "DATABASE_NEWER")
    assert run("db", "check").status == 1
    assert run("db", "downgrade", "base", "--yes").status == 78
    assert sound.read_bytes() == before


def test_rows_without_their_run_are_found(run: Run, sound: Path) -> None:
    with sqlite3.connect(sound) as raw:
        raw.execute(
            "INSERT INTO workflow_run_steps"
            " (run_id, step_id, step_title, instructions, sequence_index, status)"
            " VALUES ('gone', 'a', 'a', '', 0, 'pending')"
        )
    raw.close()
    ended = run("db", "check")
    assert (ended.status, ended.result["ok"]) == (1, False)
    assert "whose run is missing" in ended.result["problems"][0]


@pytest.mark.parametrize(
    ("kind", "code"), [("directory", "DATABASE_UNUSABLE"), ("text", "DATABASE_UNUSABLE")]
)
@pytest.mark.parametrize(
    "verb",
    [
        ("db", "current"),
        ("db", "check"),
        ("db", "upgrade"),
        ("db", "downgrade", "base", "--yes"),
        ("workflow", "list"),
        ("log",),
    ],
)
def test_what_is_no_database_is_refused_in_a_sentence_and_left_alone(
    run: Run, path: Path, kind: str, code: str, verb: tuple[str, ...]
) -> None:
    if kind == "directory":
        path.mkdir(parents=True)
    else:
        path.parent.mkdir()
        path.write_text("This is somebody's letter. " * 100)
    ended = run(*verb)
    assert (ended.status, ended.out, ended.error["code"]) == (78, "", code)
    assert str(path) in ended.error["error"]
    assert path.is_dir() or path.read_text().startswith("This is somebody's letter.")
