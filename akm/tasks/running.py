"""Whether a task is being run right now, as the history and the living processes tell."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from akm import states
from akm.engine.lock import process_started_at
from akm.store.database import Database

if TYPE_CHECKING:
    from akm.views.task_history import Reader


def since(db: Database, task_id: str) -> str | None:
    """Return when the run that is open and whose process lives began; None when there is none."""
    from akm.views import task_history

    filters = task_history.Filters(task_id=task_id, status=states.ACTIVE)
    return next(
        (row["startedAt"] for row in task_history.query(db, filters, reader()) if row.get("open")), None
    )


def last_start(db: Database, task_id: str) -> str | None:
    """Return when the task was last started, or missed; None when it never was."""
    from akm.views import task_history

    found = task_history.latest(db, task_id, reader())
    return None if found is None else str(found["startedAt"])


def reader() -> Reader:
    """Return what reading the history needs: the living processes of this machine. It warns of nothing."""
    from akm.views.history_metadata import Warned
    from akm.views.task_history import Reader

    return Reader(is_alive, os.uname().nodename, Warned(lambda _text: None))


def is_alive(pid: int, started_at: int | None) -> bool:
    """Tell whether the process of that number is the one that started then, not a later one."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    found = process_started_at(pid)
    return started_at is None or found is None or found == started_at
