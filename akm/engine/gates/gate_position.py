"""Where a step stands in the loops of its gate, as its journalled verdicts tell. Nothing is asked here."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace

from akm import states
from akm.errors import UsageError
from akm.store.sql import StepUnit
from akm.workflow import judging
from akm.workflow.judging import NoVerdict, Verdict
from akm.workflow.plan import PlanStep


@dataclass(frozen=True, slots=True)
class Position:
    """The loop that is executed next, counted from 1, the last one that may be, and what it has to heed."""

    loop: int
    limit: int
    feedback: str | None = None

    @property
    def is_last(self) -> bool:
        """Tell whether no loop may follow this one."""
        return self.loop >= self.limit

    def next(self, feedback: str) -> Position:
        """Return the position after a loop whose result was not accepted."""
        return Position(self.loop + 1, self.limit, feedback)

    def reopened(self, step: PlanStep) -> Position:
        """Return the position of a loop whose units were all finished before.

        When it is the last, the step had ended on it and somebody resumed the run, which grants fresh loops.
        """
        if not self.is_last or not judging.answers_feedback(step):
            return self
        return replace(self, limit=self.limit + judging.max_loops(step))


def of(step: PlanStep, rows: Iterable[StepUnit], run_id: str) -> Position:
    """Find the position of a step from its unit rows.

    Loops come in sets of the gate's `max_loops`. Rejecting the last of a set blocks the run, so a set whose
    last loop is rejected was followed by a resume, which grants the next set. Raises UsageError when a
    stored verdict is damaged: starting over at loop 1 would pay for everything again.
    """
    rejected = {}
    for row in rows:
        verdict = _verdict(row, run_id) if row.phase == "gate" and row.status == states.COMPLETED else None
        if verdict is not None and not verdict.complete:
            rejected[_loop_of(row.unit_id)] = verdict
    last = max(rejected, default=0)
    size = judging.max_loops(step)
    limit = -(-(last + 1) // size) * size
    return Position(last + 1, limit, rejected[last].account if last else None)


def unit_id(step: PlanStep, loop: int) -> str:
    """Name the gate's unit in a loop."""
    return f"{step.gate.id}:l{loop}"


def _loop_of(unit_id: str) -> int:
    text = unit_id.rpartition(":l")[2]
    return int(text) if text.isdecimal() else 1


def _verdict(row: StepUnit, run_id: str) -> Verdict | None:
    if row.result_json is None:
        return None
    try:
        return judging.read(json.loads(row.result_json))
    except (NoVerdict, ValueError, RecursionError):
        raise UsageError(
            f"The stored verdict {row.unit_id} of run {run_id} is damaged (result_json).",
            hint=f"Start afresh: `akm workflow abandon {run_id}`, then run the workflow again.",
        ) from None
