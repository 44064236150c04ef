"""What commands import: each pays only for what it needs, which `sys.modules` tells exactly."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from akm import paths

STEP = """---
type: workflow
steps:
  - id: only
    unit: { exec: { command: ["true"] } }
---
# One

## only

Do nothing.
"""
TASK = """version: 4
run: "true"
schedule: "@daily"
inputs: { level: { type: integer, default: 3 } }
"""
DATABASE_TOOLS = {"sqlalchemy", "sqlmodel", "alembic", "requests"}
ALL_HEAVY = DATABASE_TOOLS | {"yaml", "pydantic", "markdown_it", "jsonschema_rs", "filelock", "rich"}
_PROBE = """
import sys
from akm.__main__ import main
sys.argv = ["akm", *sys.argv[1:]]
status = main()
import json
open("modules.json", "w").write(json.dumps([status, sorted(sys.modules)]))
"""


@pytest.fixture
def run_id(tmp_path: Path, db_path: Path) -> str:
    """A completed run in the ledger at `db_path`."""
    (tmp_path / "one.md").write_text(STEP)
    done = imported(tmp_path, db_path, "workflow", "run", "one.md")
    assert "akm.engine.driver" in done
    return str(json.loads((tmp_path / "out").read_text())["run"]["id"])


def imported(folder: Path, db_path: Path, *arguments: str) -> set[str]:
    """Run a command that succeeds in `folder`, and list every module that it imported."""
    with open(folder / "out", "w") as out:
        subprocess.run(
            [sys.executable, "-c", _PROBE, *arguments],
            cwd=folder,
            env=os.environ | {"AKM_DATA_DIR": str(db_path.parent)},
            stdout=out,
            stderr=subprocess.DEVNULL,
            check=True,
            timeout=60,
        )
    status, modules = json.loads((folder / "modules.json").read_text())
    assert status == 0
    return set(modules)


def test_the_version_is_answered_before_anything_is_imported(tmp_path: Path, db_path: Path) -> None:
    found = imported(tmp_path, db_path, "--version")
    assert {name for name in found if name.split(".")[0] == "akm"} == {"akm", "akm.__main__"}
    assert sorted(found & ALL_HEAVY) == []


@pytest.mark.parametrize(
    "arguments",
    [("--help",), ("workflow", "--help"), ("workflow", "run", "--help"), ("db", "check", "--help")],
)
def test_help_imports_nothing_that_commands_work_with(
    tmp_path: Path, db_path: Path, arguments: tuple[str, ...]
) -> None:
    assert sorted(imported(tmp_path, db_path, *arguments) & ALL_HEAVY) == []


@pytest.mark.parametrize(
    "arguments",
    [
        *(("workflow", "list"), ("workflow", "status", "RUN"), ("log",), ("log", "--run", "RUN")),
        *(("db", "stats"), ("db", "backup", "copy.db"), ("db", "restore", "BACKUP")),
        *(("workflow", "export", "RUN"), ("workflow", "import", "EXPORT")),
    ],
)
def test_reading_the_ledger_needs_sqlite_alone(
    tmp_path: Path, db_path: Path, run_id: str, arguments: tuple[str, ...]
) -> None:
    imported(tmp_path, db_path, "db", "backup", "made.db")
    imported(tmp_path, db_path, "workflow", "export", run_id, "--out", "made.json")
    made = {"RUN": run_id, "BACKUP": "made.db", "EXPORT": "made.json"}
    found = imported(tmp_path, db_path, *(made.get(word, word) for word in arguments))
    assert "sqlite3" in found
    assert sorted(found & ALL_HEAVY) == []


@pytest.fixture
def task(tmp_path: Path) -> str:
    """An enabled task of a configured bundle, with a schedule and an input."""
    (tmp_path / "team/tasks").mkdir(parents=True)
    (tmp_path / "team/tasks/nightly.yml").write_text(TASK)
    text = f'[bundles.team]\npath = "{tmp_path}/team"\n[scheduler]\nenabled = ["team//tasks/nightly"]\n'
    config = paths.create(paths.config_dir()) / "config.toml"
    config.write_text(text)
    return "nightly"


@pytest.mark.parametrize("arguments", [(), ("nightly",), ("--status", "failed"), ("--since", "1h")])
def test_the_history_of_tasks_needs_sqlite_alone(
    tmp_path: Path, db_path: Path, task: str, arguments: tuple[str, ...]
) -> None:
    assert "akm.tasks.execution.run" in imported(tmp_path, db_path, "task", "run", task)
    found = imported(tmp_path, db_path, "task", "history", *arguments)
    assert "sqlite3" in found
    assert sorted(found & ALL_HEAVY) == []


@pytest.mark.parametrize(
    ("verb", "needed"), [("list", {"yaml", "jsonschema_rs"}), ("next", {"yaml", "jsonschema_rs"})]
)
def test_looking_at_tasks_opens_no_database(
    tmp_path: Path, db_path: Path, task: str, verb: str, needed: set[str]
) -> None:
    found = imported(tmp_path, db_path, "task", verb)
    assert task in (tmp_path / "out").read_text()
    assert sorted(found & (ALL_HEAVY | {"sqlite3"})) == sorted(needed)


def test_a_run_of_processes_needs_no_database_tools(tmp_path: Path, db_path: Path) -> None:
    (tmp_path / "one.md").write_text(STEP)
    found = imported(tmp_path, db_path, "workflow", "run", "one.md")
    assert sorted(found & (DATABASE_TOOLS | {"rich", "pydantic"})) == []


def test_going_on_with_a_run_reads_no_workflow_file(tmp_path: Path, db_path: Path, run_id: str) -> None:
    found = imported(tmp_path, db_path, "workflow", "run", run_id)
    assert sorted(found & (DATABASE_TOOLS | {"rich", "markdown_it", "pydantic"})) == []
