"""A place to run tasks in."""

from __future__ import annotations

from pathlib import Path

import pytest
from running_tasks import Bench


@pytest.fixture
def bench(tmp_path: Path, db_path: Path) -> Bench:
    """A project with tasks and a ledger."""
    root = tmp_path / "project"
    (root / ".git").mkdir(parents=True)
    return Bench(root, db_path)
