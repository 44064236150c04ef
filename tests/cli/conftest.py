"""The command line run inside the test, or as a process of its own, with directories of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from akm.cli import app, output


@dataclass(frozen=True)
class Done:
    """How a command line ended."""

    status: int
    out: str
    err: str

    @property
    def result(self) -> Any:
        return json.loads(self.out)

    @property
    def error(self) -> Any:
        return json.loads(self.err.splitlines()[-1])


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
    for kind in ("config", "data", "state", "cache"):
        monkeypatch.setenv(f"AKM_{kind.upper()}_DIR", str(root / kind))
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
