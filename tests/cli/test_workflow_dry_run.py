"""What a person reads of a dry run: what was spent, what is not known and why, what will stand in the way."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import workflow_files
from workflow_files import a_file, a_map, a_step, items, sh

from akm.engine import lock
from akm.engine.lock import RunLock

Run = Callable[..., Any]


@pytest.fixture
def project(home: Path, migrated: Path) -> Path:
    """A project with an empty ledger."""
    (home / "data").mkdir()
    shutil.copyfile(migrated, home / "data/state.db")
    return home / "project"


def write(project: Path, *steps: dict[str, Any], **top: Any) -> None:
    workflow_files.write(project, "w", a_file(*steps, **top))


def told(run: Run) -> list[str]:
    shown = run("workflow", "run", "w", "--dry-run", "--format", "text")
    assert shown.status == 0, shown.err
    return list(shown.out.splitlines())


def test_what_a_run_has_spent_is_told_when_it_would_be_gone_on_with(project: Path, run: Run) -> None:
    write(project, a_step("a"), a_step("b"), budget={"max_units": 2})
    assert not [line for line in told(run) if line.startswith("spent")]
    run("workflow", "run", "w", "--max-steps", "1")
    assert told(run)[1:3] == ["budget    maxUnits 2", "spent     1 unit, 0 tokens"]


def test_a_step_whose_work_is_not_known_names_what_it_waits_for(project: Path, run: Run) -> None:
    write(project, a_step("a", "echo", "[]"), a_map("b", over="steps.a.output"), a_step("c"))
    assert "b: not known yet, because it reads from a." in told(run)
    run("workflow", "run", "w", "--max-steps", "1")
    # What the step printed is text.
    assert [line for line in told(run) if "steps.a.output is not an array" in line]


def test_a_step_that_a_person_has_to_approve_is_named_until_it_is_done(project: Path, run: Run) -> None:
    write(project, a_step("a") | {"gate": {"approve": True}}, a_step("b"))
    waits = "a: will wait for a person to approve it."
    assert waits in told(run)
    run_id = run("workflow", "run", "w").result["run"]["id"]
    run("workflow", "approve", run_id)
    assert waits not in told(run)


def test_a_budget_that_does_not_allow_what_is_known_is_told_before_it_is_spent(
    project: Path, run: Run
) -> None:
    write(project, a_step("a"), a_map("b"), params=items(1, 2, 3), budget={"max_units": 3})
    small = "The budget is too small: 4 units would be new, and maxUnits has 3 units left."
    assert small in told(run)
    assert run("workflow", "run", "w", "--dry-run", "--format", "json").result["shortfalls"] == [small]
    run("workflow", "run", "w", "--max-steps", "1")
    assert "The budget is too small: 3 units would be new, and maxUnits has 2 units left." in told(run)
    write(project, a_step("a"), a_map("b"), params=items(1, 2, 3), budget={"max_units": 4})
    shown = run("workflow", "run", "w", "--dry-run", "--new", "--format", "text").out
    assert "too small" not in shown


def test_a_unit_that_a_killed_driver_left_open_is_not_counted_twice(
    project: Path, run: Run, process: Run
) -> None:
    write(project, a_step("a", *sh('kill -9 "$PPID"')), budget={"max_units": 1})
    assert process("workflow", "run", "w").status == -9
    said = told(run)
    assert "spent     1 unit, 0 tokens" in said
    assert not [line for line in said if "too small" in line]


def test_whoever_drives_the_run_right_now_is_named(project: Path, run: Run, home: Path) -> None:
    write(project, a_step("a"), a_step("b"))
    run_id = run("workflow", "run", "w", "--max-steps", "1").result["run"]["id"]
    assert not [line for line in told(run) if "driven" in line]
    held = RunLock(lock.folder(home / "data/state.db"), run_id)
    held.acquire(at="2027-01-15T08:00:00.000Z")
    try:
        (line,) = [line for line in told(run) if "driven right now" in line]
        assert "by process " in line
    finally:
        held.release()
