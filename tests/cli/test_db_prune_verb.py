"""`akm db prune` and `akm db doctor` as they are typed."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import workflow_files
from workflow_files import a_file, a_step

Run = Callable[..., Any]


@pytest.fixture
def run_ids(run: Run, home: Path) -> list[str]:
    """Three completed runs of one workflow, oldest first."""
    workflow_files.write(home / "project", "w", a_file(a_step("a")))
    return [run("workflow", "run", "w", "--new").result["run"]["id"] for _run in range(3)]


def change(home: Path, statement: str) -> None:
    with closing(sqlite3.connect(home / "data/state.db", isolation_level=None)) as raw:
        raw.execute(statement)


def test_only_the_newest_runs_are_kept(run: Run, run_ids: list[str]) -> None:
    told = run("db", "prune", "--keep-last", "1", "--dry-run").result
    assert (told["ok"], told["dryRun"], told["runs"], told["bytesFreed"]) == (True, True, 2, None)
    assert len(run("workflow", "list").result["runs"]) == 3
    done = run("db", "prune", "--keep-last", "1").result
    assert done["tables"] == told["tables"]
    assert [found["id"] for found in run("workflow", "list").result["runs"]] == run_ids[2:]
    assert run("workflow", "status", run_ids[0]).status == 1
    assert run("db", "doctor").result["findings"] == []


@pytest.mark.parametrize("age", ["1d", "2000-01-01"])
def test_a_run_that_is_not_that_old_stays(run: Run, run_ids: list[str], age: str) -> None:
    assert run("db", "prune", "--older-than", age).result["runs"] == 0
    assert len(run("workflow", "list").result["runs"]) == len(run_ids)


def test_counts_and_bytes_are_told_to_people(run: Run, run_ids: list[str]) -> None:
    dry = run("db", "prune", "--older-than", "2999-01-01", "--dry-run", "--format", "text").out
    assert f"{len(run_ids)} would be deleted" in dry
    assert "were freed" not in dry
    done = run("db", "prune", "--older-than", "2999-01-01", "--vacuum", "--format", "text").out
    assert f"{len(run_ids)} deleted" in done
    assert "workflow_run_unit_attempts" in done
    assert "bytes were freed" in done
    assert "of which 0 are free" in done


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ((), "--older-than, --keep-last, or both"),
        (("--vacuum",), "--older-than, --keep-last, or both"),
        (("--keep-last", "3", "--history"), "needs --older-than"),
        (("--keep-last", "3", "--events"), "needs --older-than"),
        (("--keep-last", "-1"), "--keep-last"),
        (("--older-than", "yesterday"), "--older-than needs a time"),
    ],
)
def test_without_a_rule_nothing_is_pruned(
    run: Run, run_ids: list[str], flags: tuple[str, ...], words: str
) -> None:
    refused = run("db", "prune", *flags)
    assert refused.status == 2
    assert words in refused.error["error"]
    assert len(run("workflow", "list").result["runs"]) == len(run_ids)


def test_a_sound_ledger_is_called_so(run: Run, run_ids: list[str]) -> None:
    ended = run("db", "doctor")
    assert (ended.status, ended.result["ok"], ended.result["rebuilt"]) == (0, True, None)
    assert "is sound" in run("db", "doctor", "--format", "text").out
    assert len(run_ids) == 3


def test_wrong_rows_of_units_are_told_and_rebuilt(run: Run, home: Path, run_ids: list[str]) -> None:
    change(home, "UPDATE workflow_run_units SET status = 'failed'")
    ended = run("db", "doctor")
    assert (ended.status, ended.result["ok"]) == (1, False)
    said = run("db", "doctor", "--format", "text").out
    assert "error: 3 rows of units differ from their latest attempt." in said
    assert "--rebuild-units" in said
    assert any(run_id in said for run_id in run_ids)
    rebuilt = run("db", "doctor", "--rebuild-units")
    assert (rebuilt.status, rebuilt.result["rebuilt"]) == (0, {"deleted": 0, "written": 3})
    assert "0 written" in run("db", "doctor", "--rebuild-units", "--format", "text").out


def test_a_warning_is_told_and_no_failure(run: Run, home: Path, run_ids: list[str]) -> None:
    change(home, "DELETE FROM events")
    ended = run("db", "doctor")
    assert (ended.status, ended.result["ok"]) == (0, True)
    assert [one["severity"] for one in ended.result["findings"]] == ["warning"]
    assert len(run_ids) == 3


def test_a_file_that_is_no_database_is_told_in_a_sentence(run: Run, home: Path) -> None:
    (home / "data").mkdir()
    (home / "data/state.db").write_text("Dear diary, this is no database." * 40)
    ended = run("db", "doctor")
    assert ended.status == 1
    assert "is not a SQLite database" in ended.result["findings"][0]["message"]


@pytest.mark.parametrize("flags", [(), ("--rebuild-units",)])
def test_a_ledger_of_a_newer_akm_is_told_and_not_changed(
    run: Run, home: Path, run_ids: list[str], flags: tuple[str, ...]
) -> None:
    change(home, "UPDATE alembic_version SET version_num = '9999'")
    before = (home / "data/state.db").read_bytes()
    ended = run("db", "doctor", *flags)
    assert ended.status == (78 if flags else 1)
    assert run("db", "prune", "--keep-last", "0").status == 78
    assert run("db", "prune", "--keep-last", "0", "--dry-run").result["runs"] == len(run_ids)
    assert (home / "data/state.db").read_bytes() == before
