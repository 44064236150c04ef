"""The words for states of runs, steps, units and attempts, and how a run's state follows from its steps."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

PENDING: Final = "pending"
ACTIVE: Final = "active"
RUNNING: Final = "running"
COMPLETED: Final = "completed"
BLOCKED: Final = "blocked"
FAILED: Final = "failed"
SKIPPED: Final = "skipped"

RUN: Final = (ACTIVE, COMPLETED, BLOCKED, FAILED)
STEP: Final = (PENDING, COMPLETED, BLOCKED, FAILED, SKIPPED)
UNIT: Final = (PENDING, RUNNING, COMPLETED, FAILED, SKIPPED)
ATTEMPT: Final = (RUNNING, COMPLETED, FAILED, SKIPPED)
PHASE: Final = ("unit", "gate")


class StepState(NamedTuple):
    """One step as far as the run's state depends on it."""

    step_id: str
    status: str
    completed_at: str | None


class RunState(NamedTuple):
    """A run's own state. `current_step_id` is None once completed, `completed_at` None until then."""

    status: str
    current_step_id: str | None
    completed_at: str | None


def derive(steps: Iterable[StepState]) -> RunState:
    """Derive a run's state from its steps in spine order.

    The first failed or blocked step decides; else the first pending one is current; else the run is
    completed at the greatest time of a step.
    """
    ordered = tuple(steps)
    for step in ordered:
        if step.status in (FAILED, BLOCKED):
            return RunState(step.status, step.step_id, None)
    for step in ordered:
        if step.status == PENDING:
            return RunState(ACTIVE, step.step_id, None)
    return RunState(COMPLETED, None, max((step.completed_at or "" for step in ordered), default=None))
