"""Whether what a task runs is there: its workflow compiles, its script, programs and engine are known."""

from __future__ import annotations

import os

from akm.engine import sources
from akm.engine.workplace import Workplace
from akm.tasks.execution import launcher
from akm.tasks.execution.prepare import Flow, prepare
from akm.tasks.files.task import Task


def check(task: Task, work: Workplace) -> None:
    """Find all that a run of the task needs, and start nothing. Raises the first thing that is wrong."""
    prepared = prepare(task, work, {}, environment=os.environ, launcher=launcher.argv())
    if isinstance(prepared, Flow):
        sources.load(prepared.work, prepared.ref)
