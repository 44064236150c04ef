"""The example workflows: they compile without findings, and the release check tells ready from not ready."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import akm
from akm.store.database import Database
from akm.workflow.compile import compile as compiled

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
