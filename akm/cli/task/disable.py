"""`akm task disable`: switch a task's schedule off."""

from __future__ import annotations

from akm.cli.task import switched
from akm.cli.task.switched import Ref


def disable(ref: Ref) -> int:
    """Switch a task's schedule off, and bring the scheduler up to date."""
    from akm.tasks.firing import switching

    return switched.show(switching.disable(ref))
