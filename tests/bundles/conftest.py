"""A repository to fetch from, and an empty configuration."""

from __future__ import annotations

from pathlib import Path

import pytest
from upstream import Upstream


@pytest.fixture
def upstream(tmp_path: Path) -> Upstream:
    """A repository with one workflow, one task and one script."""
    made = Upstream(tmp_path / "team.bundle")
    made.commit({"workflows/a.md": "a\n", "tasks/t.yml": "t\n", "scripts/s.sh": "echo\n"})
    return made


@pytest.fixture(autouse=True)
def _somewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
