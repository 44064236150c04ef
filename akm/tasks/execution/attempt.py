"""One attempt in the history: reserved before its dispatch, closed after it, and what is said when not.

The ledger is opened for each of the two and closed again: a task may run for hours.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from akm.engine.processes import process_started_at
from akm.errors import AkmError
from akm.store.database import Database
from akm.tasks.files.task import Task

if TYPE_CHECKING:
    from akm.services.task_history import Ended

Opened = Callable[[], AbstractContextManager[Database]]


@dataclass(frozen=True, slots=True)
class Reservation:
    """An attempt that may begin. `started_at` is its identity; `problem` says why no row was reserved."""

    started_at: str
    problem: str | None = None

    @property
    def is_reserved(self) -> bool:
        """Tell whether the history has a row for it."""
        return self.problem is None


def reserve(opened: Opened, task: Task, *, at: str) -> Reservation:
    """Open the attempt's row. A ledger that cannot be used stops no task.

    Raises TransientError STATE_DB_CONTENDED when others hold the ledger for too long: nothing has happened
    yet, so the same command works later.
    """
    from akm.services import task_history

    holder = task_history.Holder(os.getpid(), os.uname().nodename, process_started_at(os.getpid()))
    try:
        with opened() as db:
            return Reservation(task_history.reserve(db, task.id, at=at, holder=holder, bundle=task.owner))
    except AkmError as error:
        if error.code == "STATE_DB_CONTENDED":
            raise
        return Reservation(at, error.message)


def close(opened: Opened, task_id: str, reservation: Reservation, ended: Ended) -> str | None:
    """Write the attempt's end; returns why it could not be written, None when it is there."""
    from akm.services import task_history

    started_at = reservation.started_at
    try:
        with opened() as db:
            if reservation.is_reserved and task_history.finalize(db, task_id, started_at, ended):
                return None
            task_history.record(db, task_id, started_at, ended)
    except AkmError as error:
        return error.message
    return None
