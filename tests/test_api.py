"""The Python surface, with real files and a real ledger."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from builders import rows
from python_runs import ECHO, FAN, driving, output

import akm
from akm import config
from akm.errors import ConfigError, NotFoundError, UsageError
from akm.store.database import Database


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of its own to stand in."""
    folder = Path(os.path.realpath(tmp_path)) / "project"
    (folder / ".git").mkdir(parents=True)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def drive(project: Path, db: Database) -> Callable[..., Any]:
    """Write a workflow file and run it."""
    return driving(project, db)


def test_a_run_gives_what_the_command_gives(drive: Callable[..., Any], db: Database) -> None:
    result = drive(ECHO, params={"word": "hi"})
    assert (result.exit_status, result.run["status"], result.is_resumed) == (0, "completed", False)
    assert json.loads(output(db, result.run["id"])) == {"word": "hi"}
    command = [sys.executable, "-m", "akm", "workflow", "status", result.run["id"], "--format", "json"]
    environment = dict(os.environ, AKM_DATABASE_URL=f"sqlite:///{db.path}")
    shown = json.loads(subprocess.run(command, env=environment, capture_output=True, check=True).stdout)
    assert shown["run"] == result.run


@pytest.mark.usefixtures("project")
def test_open_without_a_name_opens_what_the_configuration_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AKM_SQLITE_SYNCHRONOUS", "normal")
    with akm.open() as db:
        assert db.path == config.database(config.read()).path
        assert rows(db, "PRAGMA synchronous") == [{"synchronous": 1}]
    with akm.open(synchronous="full") as db:
        assert rows(db, "PRAGMA synchronous") == [{"synchronous": 2}]


@pytest.mark.parametrize("name", ["new/ledger.db", "sqlite:///new/ledger.db", Path("new/ledger.db")])
def test_open_takes_a_path_or_a_url_and_creates_the_file(project: Path, name: Any) -> None:
    with akm.open(name) as db:
        assert db.path == project / "new" / "ledger.db"
        assert rows(db, "PRAGMA synchronous") == [{"synchronous": 2}]
    assert (project / "new" / "ledger.db").is_file()


@pytest.mark.parametrize("name", ["postgresql://localhost/akm", ":memory:", "", "sqlite://"])
def test_open_refuses_what_is_no_sqlite_file(project: Path, name: str) -> None:
    with pytest.raises(ConfigError, match=r"akm\.open"):
        akm.open(name)
    assert list(project.iterdir()) == [project / ".git"]


@pytest.mark.usefixtures("project")
def test_a_with_block_closes_the_ledger() -> None:
    with akm.open("ledger.db") as db:
        pass
    with pytest.raises(Exception, match="closed"):
        db.connection.execute("SELECT 1")


def test_max_steps_pauses_and_the_next_call_goes_on(drive: Callable[..., Any], db: Database) -> None:
    first = drive(FAN, params={"items": []}, max_steps=1)
    second = akm.run(db, "flow.md")
    assert (first.run["status"], second.run["status"]) == ("active", "completed")
    assert first.run["id"] == second.run["id"]


def test_a_target_is_looked_up_where_cwd_says(project: Path, db: Database, tmp_path: Path) -> None:
    (project / "workflows").mkdir()
    (project / "workflows/flow.md").write_text(ECHO)
    os.chdir(tmp_path)
    result = akm.run(db, "workflows/flow", cwd=project)
    assert result.run["workflowRef"] == "project//workflows/flow"
    with pytest.raises(NotFoundError):
        akm.run(db, "workflows/flow", cwd=tmp_path)


@pytest.mark.parametrize(
    "options",
    [
        {"dispatchers": {"sdk": print}},
        {"max_steps": 0},
        {"max_retries": -1},
        {"max_concurrency": True},
        {"timeout_seconds": 0},
        {"timeout_seconds": float("nan")},
        {"params": {"word": b"raw"}},
        {"params": {"wrod": "hi"}},
    ],
)
def test_a_wrong_argument_is_refused_before_anything_is_written(
    drive: Callable[..., Any], db: Database, options: dict[str, Any]
) -> None:
    with pytest.raises(UsageError):
        drive(ECHO, **options)
    assert rows(db, "SELECT id FROM workflow_runs") == []


def test_importing_akm_imports_nothing_heavy() -> None:
    names = "('typing', 'sqlite3', 'sqlalchemy', 'pydantic')"
    program = f"import sys, akm; print([name for name in {names} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-S", "-c", program],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[1],
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", ["open", "run", "models", "services", "views", "errors"])
def test_every_public_name_is_there(name: str) -> None:
    assert name in dir(akm)
    assert getattr(akm, name) is not None


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nothing_such"):
        _ = akm.nothing_such  # type: ignore[attr-defined]
