"""The command line run inside the test, or as a process of its own, with directories of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from command_lines import Done, directories
from fake_crontab import CRONTAB, TASK

from akm.cli import app, output

Run = Callable[..., Done]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Directories of akm's own below `tmp_path`, and a project to stand in."""
    for name in list(os.environ):
        if name.startswith(("AKM_", "_AKM")) or name == "NO_COLOR":
            monkeypatch.delenv(name)
    # Without a buffer, nothing would be left to be written when the process ends.
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    root = Path(os.path.realpath(tmp_path))
    for name, folder in directories(root).items():
        monkeypatch.setenv(name, folder)
    (root / "project" / ".git").mkdir(parents=True)
    monkeypatch.chdir(root / "project")
    yield root
    output.choose(None)


@pytest.fixture
def run(home: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run one command line in this process, where standard output is no terminal."""
    assert home.is_dir()

    def act(*arguments: str) -> Done:
        capsys.readouterr()
        status = app.main(arguments)
        printed = capsys.readouterr()
        return Done(status, printed.out, printed.err)

    return act


@pytest.fixture
def process(home: Path) -> Run:
    """Run one command line as a process of its own."""
    assert home.is_dir()

    def act(*arguments: str, **options: Any) -> Done:
        command = [sys.executable, "-m", "akm", *arguments]
        done = subprocess.run(
            command, stderr=subprocess.PIPE, text=True, **({"stdout": subprocess.PIPE} | options)
        )
        return Done(done.returncode, done.stdout or "", done.stderr)

    return act


@pytest.fixture
def crontab(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A crontab of this test's own, and a bundle named team with a task named nightly."""
    command = home / "bin/crontab"
    command.parent.mkdir()
    command.write_text(CRONTAB)
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{command.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("CRONTAB_FILE", str(home / "crontab"))
    (home / "config").mkdir()
    (home / "config/config.toml").write_text(f'[bundles.team]\npath = "{home}/team"  # ours\n')
    (home / "team/tasks").mkdir(parents=True)
    (home / "team/tasks/nightly.yml").write_text(TASK)
    return home / "crontab"
