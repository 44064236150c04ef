"""Stopping a run's driver from another terminal: a request beside the run's lock, which the driver looks for.

A request names the driver that it is meant for, so that one left behind never stops a later one. No signal is
sent: the driver may be a part of somebody else's program.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from akm import private_files
from akm.engine import lock
from akm.errors import ConfigError, NotFoundError, TransientError
from akm.store.database import Database

REASON = "cancelled"
LOOK_SECONDS = 0.5
_POLL_SECONDS = 0.05


class Watch:
    """A driver's look-out for a request to stop it, no more often than twice a second."""

    def __init__(self, path: Path) -> None:
        self._request = _request_path(path)
        self._holder = lock.holder(path)
        self._next = monotonic() + LOOK_SECONDS
        self.forget()

    def __call__(self) -> str | None:
        """Return the reason to stop when somebody asked for it; None otherwise."""
        now = monotonic()
        if now < self._next:
            return None
        self._next = now + LOOK_SECONDS
        return REASON if self._is_asked() else None

    def _is_asked(self) -> bool:
        try:
            asked = json.loads(self._request.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return False
        return bool(asked == self._holder)

    def forget(self) -> None:
        """Remove a request, whoever it was for."""
        try:
            self._request.unlink(missing_ok=True)
        except OSError:
            return  # It names another driver, or this one, which is about to end.


def cancel(
    db: Database, run_id: str, *, grace_seconds: float, wait: Callable[[float], None] = sleep
) -> Mapping[str, Any]:
    """Ask the driver of a run to stop, wait until it has, and return the description of it.

    Raises NotFoundError NOT_DRIVEN when nobody drives the run, ConfigError when the request cannot be
    written, TransientError NOT_STOPPED when the driver goes on after `grace_seconds`; it then stops as soon
    as it looks.
    """
    folder = lock.folder(db.path)
    path = lock.lock_path(folder, run_id)
    if not lock.driven(folder, [run_id]):
        raise NotFoundError(f"Nobody drives run {run_id}, so there is nothing to stop.", code="NOT_DRIVEN")
    holder = lock.holder(path)
    _write(_request_path(path), holder)
    deadline = monotonic() + grace_seconds
    while lock.driven(folder, [run_id]) and lock.holder(path) == holder:
        if monotonic() >= deadline:
            raise TransientError(
                f"Run {run_id} goes on: {lock.describe(path)} was asked to stop and has not after "
                f"{grace_seconds:g} s.",
                code="NOT_STOPPED",
                hint="It stops as soon as its units end; wait longer with --grace, or end that process.",
            )
        wait(_POLL_SECONDS)
    return holder


def _write(path: Path, holder: Mapping[str, Any]) -> None:
    try:
        private_files.write(path, json.dumps(holder).encode())
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be written: {error.strerror}.", code="DATA_DIR_UNREADABLE"
        ) from error


def _request_path(path: Path) -> Path:
    return path.with_suffix(".cancel")
