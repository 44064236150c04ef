"""Restoring a backup of the ledger, unless somebody drives a run of the one that it replaces."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from akm.engine import lock
from akm.engine.care import locks
from akm.store import restore


def put_back(path: Path, backup: Path, *, at: str) -> dict[str, Any]:
    """Replace the ledger at `path` by `backup`, as `akm.store.restore` does.

    Raises TransientError RUN_LEASE_HELD, and changes nothing, while a run is being driven here.
    """
    # By the locks and not by the ledger, which may be too damaged to say what runs it has.
    locks.refuse_drivers(lock.folder(path), "nothing was restored")
    return restore.put_back(path, backup, at=at)
