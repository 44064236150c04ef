"""Examining a ledger with all that belongs to it, and rebuilding what can be rebuilt."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

from akm.engine import lock
from akm.engine.care import leftovers, locks, openness
from akm.engine.care.leftovers import IsAlive
from akm.errors import NotFoundError
from akm.services import rebuilding
from akm.store import copies, soundness
from akm.store.database import Database
from akm.store.soundness import ERROR, WARNING, Finding, attempted
from akm.views import health, task_history
from akm.views.history_metadata import Warned
from akm.views.task_history import INTERRUPTED, Filters, Reader

__all__ = ["examine", "rebuild_units"]


def examine(path: Path, is_alive: IsAlive) -> dict[str, Any]:
    """Look at everything and change nothing; returns {path, isSound, findings: [{check, severity, count,
    examples, message, remedy}]}, the worst first. `isSound`: no finding is an error.

    Of a damaged file, as much is looked at as can be read. Raises NotFoundError when there is no file.
    """
    if not path.exists():
        raise NotFoundError(f"There is no database {path}.", code="FILE_NOT_FOUND")
    found = attempted("file", path, lambda: _inside(path, is_alive))
    # Several questions of one check may fail alike.
    found = list(dict.fromkeys([*found, *leftovers.of_acts(path, is_alive), *openness.findings(path)]))
    found.sort(key=lambda one: (ERROR, WARNING, soundness.NOTE).index(one.severity))
    return {
        "path": str(path),
        "isSound": all(one.severity != ERROR for one in found),
        "findings": [asdict(one) for one in found],
    }


def rebuild_units(db: Database) -> dict[str, int]:
    """Make the rows of units from the journal and return {deleted, written}.

    Raises TransientError RUN_LEASE_HELD, and changes nothing, while a run is being driven.
    """
    locks.refuse_drivers(lock.folder(db.path), "nothing was rebuilt")
    return rebuilding.rebuild_units(db)._asdict()


def _inside(path: Path, is_alive: IsAlive) -> Iterator[Finding]:
    with closing(copies.opened(path)) as raw:
        of_file = soundness.findings(raw, path)
        yield from of_file
        if any(one.check in ("revision", "schema") for one in of_file):
            return
        db = Database(raw, path)
        yield from health.findings(db)
        yield from attempted("tasks", path, lambda: _tasks(db, is_alive))
        yield from attempted("locks", path, lambda: leftovers.of_runs(db))


def _tasks(db: Database, is_alive: IsAlive) -> Iterator[Finding]:
    # Damaged rows are a finding of their own.
    reader = Reader(is_alive, os.uname().nodename, Warned(lambda _said: None))
    lost = task_history.query(db, Filters(status=INTERRUPTED, limit=-1), reader)
    if lost:
        examples = tuple(f"{one['id']} {one['startedAt']}" for one in lost[: soundness.EXAMPLES])
        message = f"{len(lost)} attempts of tasks are open although their process is gone."
        yield Finding("tasks", soundness.NOTE, len(lost), examples, message, "They show as interrupted.")
