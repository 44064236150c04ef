"""Reading the history on this host: which of its processes still run."""

from __future__ import annotations

import os
from collections.abc import Callable

from akm.engine.processes import has_ended, process_started_at
from akm.views.history_metadata import Warned
from akm.views.task_history import Reader


def reader(complain: Callable[[str], None]) -> Reader:
    """Build what reads the history on this host; each warning goes to `complain` once."""
    return Reader(is_alive, os.uname().nodename, Warned(complain))


def is_alive(pid: int, started_at: int | None) -> bool:
    """Tell whether the process `pid` that started at `started_at` still runs, and no later one of its id."""
    if pid <= 0 or has_ended(pid):
        return False
    now = process_started_at(pid)
    if now is not None and started_at is not None:
        return now == started_at
    return now is not None or _exists(pid)


def _exists(pid: int) -> bool:
    """Ask the kernel where it has no list of processes to read."""
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True  # Somebody else's, but there.
    return True
