"""What holds for every revision there is: up, down, read meanwhile, and killed between any two statements."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from builders import dump
from revisions import filled

from akm.errors import UsageError
from akm.store import drift, schema, sql

KILLING = Path(__file__).with_name("killing.py")
STEPS = list(zip(("base", *sql.REVISIONS), sql.REVISIONS, strict=False))
each_step = pytest.mark.parametrize(("below", "above"), STEPS, ids=sql.REVISIONS)


def state(path: Path) -> tuple[drift.Parts, dict[str, list[dict[str, Any]]]]:
    with closing(sqlite3.connect(path)) as raw:
        assert raw.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert raw.execute("PRAGMA foreign_key_check").fetchall() == []
        return drift.parts(raw), rows(path)


def rows(path: Path) -> dict[str, list[dict[str, Any]]]:
    return {name: found for name, found in dump(path).items() if found and name != "alembic_version"}


def common(path: Path, other: dict[str, list[dict[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
    """Read the rows of a file, as far as their columns are those of the rows of another one."""
    return {
        table: [{name: value for name, value in row.items() if name in other[table][0]} for row in found]
        for table, found in rows(path).items()
        if table in other
    }


@each_step
def test_up_and_down_again_is_as_before_and_up_once_more_as_the_first_time(
    tmp_path: Path, below: str, above: str
) -> None:
    path = filled(tmp_path / "state.db", below)
    before = state(path)
    schema.upgrade(path, above)
    upgraded = state(path)
    assert common(path, before[1]) == before[1]
    schema.downgrade(path, below)
    assert state(path) == before
    schema.upgrade(path, above)
    assert state(path) == upgraded


@each_step
def test_a_step_back_that_loses_something_is_refused_and_says_what(
    tmp_path: Path, below: str, above: str
) -> None:
    path = filled(tmp_path / "state.db", above)
    before, older = state(path), rows(filled(tmp_path / "older.db", below))
    lost = {
        name if name not in older else f"{name}.{column}"
        for name, found in before[1].items()
        for column in found[0]
        if name not in older or column not in older[name][0]
    } - {"sqlite_sequence"}
    assert lost
    for take_back in (schema.downgrade, schema.rehearse_downgrade):
        with pytest.raises(UsageError, match="nothing was changed") as refused:
            take_back(path, below)
        assert all(f"{name} (3 " in refused.value.message for name in lost)
        assert refused.value.message.count(" (") == len(lost)
        assert state(path) == before


@each_step
def test_a_step_back_that_may_lose_keeps_all_that_the_older_tables_hold(
    tmp_path: Path, below: str, above: str
) -> None:
    path, older = filled(tmp_path / "state.db", above), filled(tmp_path / "older.db", below)
    schema.downgrade(path, below, may_lose=True)
    assert state(path) == state(older)


@each_step
def test_who_reads_during_an_upgrade_sees_the_old_rows_to_the_end_and_then_the_new_tables(
    tmp_path: Path, below: str, above: str
) -> None:
    path = filled(tmp_path / "state.db", below)
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        before = dump(reader)
        schema.upgrade(path, above)
        assert dump(reader) == before
        reader.execute("COMMIT")
        assert schema.revision(reader) == above
        assert dump(reader) == dump(path)


def check_kills(source: Path, target: str, direction: str, every: int = 1) -> None:
    """Kill a migration before each of its statements, or every so many, and let it be tried again."""
    command = [sys.executable, str(KILLING), str(source), target, direction, str(every)]
    environment = os.environ | {"PYTHONPATH": str(KILLING.parents[1])}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.stderr == ""
    found = json.loads(done.stdout)
    # The least is: begin, one change of the tables, the new revision, commit.
    assert len(found) >= 4
    assert found == [[signal.SIGKILL, True, 0, True]] * len(found)


@pytest.mark.parametrize("direction", ["up", "down"])
@each_step
def test_killed_before_any_statement_the_file_is_as_before_and_the_next_try_is_whole(
    tmp_path: Path, below: str, above: str, direction: str
) -> None:
    start, target = (below, above) if direction == "up" else (above, below)
    check_kills(filled(tmp_path / "state.db", start), target, direction)


@pytest.mark.parametrize(("start", "target", "direction"), [("0001", "head", "up"), ("head", "base", "down")])
def test_killed_between_revisions_none_of_them_was_applied(
    tmp_path: Path, start: str, target: str, direction: str
) -> None:
    check_kills(filled(tmp_path / "state.db", start), target, direction, every=5)
