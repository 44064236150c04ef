"""A reader of old databases: taking one over into the test's own ledger."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from akm.adopting.adopt import adopt
from akm.store import foreign
from akm.store.database import Database

Adopt = Callable[..., dict[str, Any]]
AT = "2026-12-02T00:00:00.000Z"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Where the old database of the test goes."""
    return tmp_path / "old.db"


@pytest.fixture
def taken(db: Database, source: Path) -> Adopt:
    """Take the old database over and return the report."""

    def act(at: str = AT) -> dict[str, Any]:
        with foreign.opened(source) as found:
            return adopt(db, found, at=at)

    return act
