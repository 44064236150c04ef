"""Taking the ledger back to an older revision, unless somebody drives a run in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from akm.engine import lock
from akm.engine.care import locks
from akm.store import care


def take_back(path: Path, target: str, *, may_lose: bool) -> dict[str, Any]:
    """Take the ledger at `path` back to `target`, as `akm.store.care` does.

    Raises TransientError RUN_LEASE_HELD, and changes nothing, while a run is being driven here: its
    driver would write to columns that are there no more.
    """
    locks.refuse_drivers(lock.folder(path), "nothing was changed")
    return care.downgrade(path, target, may_lose=may_lose)
