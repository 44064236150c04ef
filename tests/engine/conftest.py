"""The project that the driver's tests stand in."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from places import Place, a_place

from akm.store.database import Database


@pytest.fixture
def place(db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A project, with the test standing in it."""
    made = a_place(Path(os.path.realpath(tmp_path)) / "project", db)
    monkeypatch.chdir(made.root)
    return made
