"""When a task was started last, and whether it is being run right now, as the history tells.

A task of another bundle is another one, also when it has the same id.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from akm import states
from akm.store.database import Database
from akm.tasks.files.task import Task
from akm.tasks.history import reading

if TYPE_CHECKING:
    from akm.views.task_history import Filters


def since(db: Database, task: Task) -> str | None:
    """Return when the run that is open and whose process lives began; None when there is none."""
    rows = attempts(db, of(task, status=states.ACTIVE))
    return next((str(row["startedAt"]) for row in rows if row.get("open")), None)


def last_start(db: Database, task: Task) -> str | None:
    """Return when the task was last started, or missed; None when it never was."""
    rows = attempts(db, of(task, limit=1))
    return str(rows[0]["startedAt"]) if rows else None


def of(task: Task, **more: Any) -> Filters:
    """Return the filters that let only the attempts of this task through, and what `more` says."""
    from akm.views.task_history import Filters

    return Filters(task_id=task.id, bundle=task.owner, **more)


def attempts(db: Database, filters: Filters) -> list[dict[str, Any]]:
    """Read the newest matching attempts, newest first, and warn of nothing."""
    from akm.views import task_history

    return task_history.query(db, filters, reading.reader(lambda _text: None))
