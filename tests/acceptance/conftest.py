"""A fresh place for each test of the installed command."""

from __future__ import annotations

from pathlib import Path

import pytest
from installed import Place, a_machine


@pytest.fixture
def place(tmp_path: Path, migrated: Path) -> Place:
    """A machine on which akm has run before: its ledger exists and is empty."""
    return a_machine(tmp_path / "place", migrated)


@pytest.fixture
def fresh(tmp_path: Path) -> Place:
    """A machine on which akm has never run."""
    return Place(tmp_path / "place")
