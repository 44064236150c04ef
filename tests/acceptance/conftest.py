"""A fresh place for each test of the installed command."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from installed import Place


@pytest.fixture
def place(tmp_path: Path, migrated: Path) -> Place:
    """A machine on which akm has run before: its ledger exists and is empty."""
    made = Place(tmp_path / "place")
    shutil.copyfile(migrated, made.folder("data") / "state.db")
    return made


@pytest.fixture
def fresh(tmp_path: Path) -> Place:
    """A machine on which akm has never run."""
    return Place(tmp_path / "place")
