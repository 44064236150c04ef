"""`akm task enable`: switch a task's schedule on."""

from __future__ import annotations

from akm.cli.task import switched
from akm.cli.task.switched import Ref


def enable(ref: Ref) -> int:
    """Switch a task's schedule on, and bring the scheduler up to date."""
    from akm.tasks.firing import switching

    return switched.show(switching.enable(ref))
