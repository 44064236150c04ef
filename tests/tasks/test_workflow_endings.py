"""How a task that drives a workflow ends, for every way in which that can end."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest
import workflow_files
from running_tasks import Bench
from workflow_files import a_file, a_step, sh

from akm.tasks.files.task import Workflow

Steps = Callable[[Bench], list[dict[str, Any]]]
#: A unit that lets its own run wait for a person while it runs.
_PARK = """
import sys
from pathlib import Path
from akm import clock
from akm.services import steps
from akm.store.opening import open_database
import os
with open_database(Path(sys.argv[1])) as db:
    steps.complete(db, os.environ["AKM_RUN_ID"], "a", status="blocked", at=clock.now(), notes="ask")
"""


def blocked(bench: Bench) -> list[dict[str, Any]]:
    return [a_step("a", sys.executable, "-c", _PARK, str(bench.path))]


def slow(_bench: Bench) -> list[dict[str, Any]]:
    return [a_step("a", *sh("exec sleep 60"))]


def failing(_bench: Bench) -> list[dict[str, Any]]:
    return [a_step("a", "false")]


def fine(_bench: Bench) -> list[dict[str, Any]]:
    return [a_step("a"), a_step("b")]


@pytest.mark.parametrize(
    ("steps", "more", "expected"),
    [
        (fine, {}, ("completed", None, 0)),
        (fine, {"max_steps": 1}, ("active", None, 0)),
        (blocked, {}, ("blocked", "blocked", 1)),
        (failing, {}, ("failed", "run_failed", 1)),
        (slow, {"timeout_ms": 50}, ("failed", "timeout", 1)),
    ],
)
def test_the_row_the_reason_and_the_exit_say_how_the_run_ended(
    bench: Bench, steps: Steps, more: dict[str, Any], expected: tuple[str, str | None, int]
) -> None:
    workflow_files.write(bench.root, "w", a_file(*steps(bench)))
    result = bench.run(Workflow("project//workflows/w"), **more)
    detail = bench.detail()
    assert (bench.row()["status"], detail.get("reason"), result.exit_status) == expected
    assert result.shown()["ok"] is (expected[0] == "completed")
    assert detail["runId"]


def test_a_units_path_is_the_tasks(bench: Bench) -> None:
    folder = bench.root / "bin"
    folder.mkdir()
    (folder / "only-here").write_text("#!/bin/sh\necho $AKM_EVENT_SOURCE > seen\n")
    (folder / "only-here").chmod(0o755)
    bench.environment["PATH"] = str(folder)
    workflow_files.write(bench.root, "w", a_file(a_step("a", "only-here")))
    assert bench.run(Workflow("project//workflows/w")).status == "completed"
    assert (bench.root / "seen").read_text() == "task\n"
