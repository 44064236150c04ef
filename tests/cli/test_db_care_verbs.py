"""`akm db backup`, `restore` and `stats` as they are typed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import workflow_files
from workflow_files import a_file, a_step

Run = Callable[..., Any]


@pytest.fixture
def run_id(run: Run, home: Path) -> str:
    """A completed run in a ledger of this test's own."""
    workflow_files.write(home / "project", "w", a_file(a_step("a")))
    return str(run("workflow", "run", "w").result["run"]["id"])


def test_a_backup_is_written_where_it_is_typed_and_says_what_it_holds(
    run: Run, home: Path, run_id: str
) -> None:
    done = run("db", "backup", "copy.db").result
    assert done["ok"]
    assert done["backup"] == str(home / "project/copy.db")
    assert done["tables"]["workflow_runs"] == 1
    refused = run("db", "backup", "copy.db")
    assert (refused.status, refused.error["code"]) == (2, "RESOURCE_ALREADY_EXISTS")
    assert "--force" in refused.error["hint"]
    said = run("db", "backup", "copy.db", "--force", "--format", "text").out
    assert f"{done['bytes']:,} bytes, {done['rows']} rows" in said
    assert "the copy is sound" in said
    assert run("workflow", "status", run_id).status == 0


def test_a_restored_ledger_is_the_one_that_was_backed_up(run: Run, home: Path, run_id: str) -> None:
    run("db", "backup", "copy.db")
    later = run("workflow", "run", "w", "--new").result["run"]["id"]
    done = run("db", "restore", "copy.db").result
    assert [found["id"] for found in run("workflow", "list").result["runs"]] == [run_id]
    assert Path(done["kept"]).parent == home / "data"
    said = run("db", "restore", done["kept"], "--format", "text").out
    assert "is kept in" in said
    assert {found["id"] for found in run("workflow", "list").result["runs"]} == {run_id, later}


@pytest.mark.parametrize("verb", [("backup", "copy.db"), ("restore", "copy.db"), ("stats",)])
def test_without_a_database_or_a_backup_that_is_said_and_nothing_is_made(
    run: Run, home: Path, verb: tuple[str, ...]
) -> None:
    ended = run("db", *verb)
    assert (ended.status, ended.error["code"]) == (1, "FILE_NOT_FOUND")
    assert not (home / "data/state.db").exists()
    assert not (home / "project/copy.db").exists()


def test_stats_name_tables_and_the_biggest_runs(run: Run, run_id: str) -> None:
    found = run("db", "stats").result
    assert [one["id"] for one in found["biggestRuns"]] == [run_id]
    said = run("db", "stats", "--format", "text").out
    assert run_id in said
    assert "workflow_run_unit_attempts" in said
    assert "measured in time" not in said
