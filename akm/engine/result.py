"""What an invocation of `akm workflow run` came to, and its exit status."""

from __future__ import annotations

import signal
from dataclasses import dataclass, field
from typing import Any

from akm import states
from akm.engine.executed import Executed


@dataclass(slots=True)
class RunResult:
    """The outcome of one invocation. `run` is the run's summary after it.

    `aborted_by` is a signal's name, `timeout`, `cancelled`, or None. `steps_processed` counts steps that
    ended. `output` is the last step's, of a completed run; None when it is null or too long to be handed
    around.
    `usage` is what the run has spent over all its invocations, in the shape of `akm.views.usage`. `way_out`
    lists the commands that lead a failed or blocked run on, in order.
    """

    run: dict[str, Any]
    executed: list[Executed] = field(default_factory=list)
    is_resumed: bool = False
    aborted_by: str | None = None
    warnings: list[str] = field(default_factory=list)
    output: Any = None
    usage: dict[str, Any] = field(default_factory=dict)
    way_out: list[str] = field(default_factory=list)

    @property
    def steps_processed(self) -> int:
        """Return how many distinct steps ended."""
        return len({one.step_id for one in self.executed if one.is_processed})

    @property
    def exit_status(self) -> int:
        """Return the process exit status: 0 when the run is completed or may simply go on."""
        if self.run["status"] == states.COMPLETED:
            return 0
        if self.aborted_by is not None and self.aborted_by.startswith("SIG"):
            return 128 + int(signal.Signals[self.aborted_by])
        return 0 if self.run["status"] == states.ACTIVE and self.aborted_by is None else 1

    def shown(self) -> dict[str, Any]:
        """Shape the result for `--format json`: members that are not the case are absent."""
        is_done = self.run["status"] == states.COMPLETED
        present: dict[str, Any] = {
            "done": is_done,
            "resumed": self.is_resumed,
            "aborted": self.aborted_by is not None and not is_done,
            "timedOut": self.aborted_by == "timeout" and not is_done,
            "cancelled": self.aborted_by == "cancelled" and not is_done,
            "warnings": self.warnings,
            "wayOut": self.way_out,
        }
        output = {} if self.output is None else {"output": self.output}
        present |= self._gate()
        return {
            "ok": self.exit_status == 0,
            "run": self.run,
            "executed": [one.shown() for one in self.executed],
            "stepsProcessed": self.steps_processed,
            "usage": self.usage,
            **{name: value for name, value in present.items() if value},
            **output,
        }

    def _gate(self) -> dict[str, Any]:
        """Say why the last step is blocked by its gate; empty when it is not."""
        last = self.executed[-1] if self.executed else None
        if last is None or last.ending != "blocked":
            return {}
        if last.blocked_child is not None:
            return {"childBlocked": self._blocked_child(last.step_id, last.blocked_child)}
        if last.awaits_approval:
            return {"approvalAwaited": {"stepId": last.step_id}}
        if last.judge_fault is not None:
            return {"judgeFailure": {"stepId": last.step_id, "message": last.summary}}
        if last.verdict is None:
            return {}
        rejection = {"missing": list(last.verdict.missing), "feedback": last.verdict.feedback}
        return {"gateRejection": {"stepId": last.step_id, **rejection}}

    def _blocked_child(self, step_id: str, child: dict[str, Any]) -> dict[str, Any]:
        return {
            "stepId": step_id,
            "childRunId": child["runId"],
            "childRef": child["workflowRef"],
            "resume": f"akm workflow resume {child['runId']}",
            "resumeParentCommand": f"akm workflow resume {self.run['id']}",
        }
