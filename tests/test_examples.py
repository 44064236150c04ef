"""The example workflows: they compile without findings, the release check tells ready from not ready, and the
review sends its writer back once, whoever writes and judges."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from chat_server import says, serving

import akm
from akm.store.database import Database
from akm.workflow.parsing.compile import compile as compiled

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*.md")), ids=lambda file: file.name)
def test_every_example_compiles_without_findings(file: Path) -> None:
    assert compiled(file.read_bytes(), name=file.name).findings == ()


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A git repository with the release check in it, ready for release 1.2.0."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    folder = Path(os.path.realpath(tmp_path)) / "repository"
    folder.mkdir()
    shutil.copy(EXAMPLES / "release-check.md", folder)
    (folder / "VERSION").write_text("1.2.0\n")
    (folder / "CHANGELOG.md").write_text("# Changes\n\n## 1.2.0\n\nEverything is better.\n")
    monkeypatch.chdir(folder)
    git("init", "--quiet")
    git("add", "--all")
    git("-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "--quiet", "--message", "All of it")
    return folder


def git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], check=True)


def verdict(db: Database, **params: Any) -> tuple[str, str]:
    result = akm.run(db, "release-check.md", params=params, new=True)
    steps = akm.views.runs.detail(db, result.run["id"])["workflow"]["steps"]
    said = steps[-1].get("evidence", {}).get("output") or steps[-1].get("notes", "")
    return result.run["status"], said


@pytest.mark.usefixtures("repository")
def test_the_release_check_passes_a_repository_that_is_ready(db: Database) -> None:
    status, said = verdict(db, tests=["git", "status"])
    assert (status, said.splitlines()[0]) == ("completed", "1.2.0 is ready:")
    assert "tests: passed" in said


def test_the_release_check_says_everything_that_is_missing(repository: Path, db: Database) -> None:
    (repository / "CHANGELOG.md").write_text("# Changes\n")
    git("tag", "v1.2.0")
    status, said = verdict(db, tests=["false"])
    assert status == "failed"
    assert "4 of 4 checks failed" in said


def test_the_release_check_fails_where_there_is_no_version(repository: Path, db: Database) -> None:
    (repository / "VERSION").unlink()
    status, _said = verdict(db)
    assert status == "failed"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project that holds the examples, with the engines of the review set up as its file says."""
    project = Path(os.path.realpath(tmp_path)) / "project"
    shutil.copytree(EXAMPLES, project / "examples")
    (project / ".akm").mkdir()
    shutil.copy(EXAMPLES / "review-with-gate.toml", project / ".akm/config.toml")
    monkeypatch.chdir(project)
    return project


def reviewed(db: Database) -> tuple[list[tuple[str, str, bool | None]], Any]:
    """Run the review; returns its units with the verdicts, and its output."""
    result = akm.run(db, "examples/review-with-gate.md", params={"version": "2.0.0"})
    assert result.run["status"] == "completed", result.executed[-1].summary
    units = akm.views.units.of_run(db, result.run["id"])
    return [(one["unitId"], one["status"], one.get("accepted")) for one in units], result.output


REVIEWED = [
    ("announce:solo", "completed", None),
    ("notes.gate:l1", "completed", False),
    ("notes.gate:l2", "completed", True),
    ("notes:solo", "completed", None),
    ("notes:solo~l2", "completed", None),
]


@pytest.mark.usefixtures("project")
def test_the_review_sends_a_scripted_writer_back_once(db: Database) -> None:
    units, announced = reviewed(db)
    assert units == REVIEWED
    assert announced == "2.0.0 is out! Upgrading: look for what is gone before you do."


def test_the_review_sends_a_model_back_once(project: Path, db: Database) -> None:
    rejects = '{"complete": false, "missing": ["no such line"], "feedback": "Say what to look out for."}'
    accepts = '{"complete": true, "missing": []}'
    script = [says(text) for text in ("# 2.0.0", rejects, "# 2.0.0\n\nUpgrading: care.", accepts, "Out now!")]
    with serving(*script) as server:
        model = f'kind = "llm"\nbase_url = "{server.url}"\nmodel = "small"'
        (project / ".akm/config.toml").write_text(
            f'[defaults]\nengine = "model"\n[workflow]\njudge_engine = "model"\n[engines.model]\n{model}\n'
        )
        assert reviewed(db) == (REVIEWED, "Out now!")
    assert "Say what to look out for." in server.asked[2].prompt
    assert "Upgrading: care." in server.asked[4].prompt
