"""What one execution of a step came to, for the result of an invocation. Nothing of it is stored."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from akm import states
from akm.workflow.judging import Verdict

#: `stopped` and `rejected` leave the step pending; after `rejected` another loop follows.
Ending = Literal["advanced", "skipped", "failed", "stopped", "blocked", "rejected"]
_STATUS: dict[str, str] = {
    "advanced": states.COMPLETED,
    "skipped": states.SKIPPED,
    "failed": states.FAILED,
    "stopped": states.PENDING,
    "blocked": states.BLOCKED,
    "rejected": states.PENDING,
}


@dataclass(slots=True)
class Executed:
    """One execution of a step, which is one loop of its gate.

    `verdict` is what its judge decided, `judge_fault` why there is no verdict, `blocked_child` the child run
    that blocks it. `is_hard`: a failure that executing the step once more cannot mend.
    """

    step_id: str
    ending: Ending
    summary: str = ""
    unit_count: int = 0
    failed_units: int = 0
    notices: list[str] = field(default_factory=list)
    is_hard: bool = False
    verdict: Verdict | None = None
    judge_fault: str | None = None
    awaits_approval: bool = False
    blocked_child: dict[str, Any] | None = None

    @property
    def goes_on(self) -> bool:
        """Tell whether the run goes on to its next step."""
        return self.ending in ("advanced", "skipped")

    @property
    def is_processed(self) -> bool:
        """Tell whether the step came to an end of its own; an outage of its judge is none."""
        return self.ending in ("advanced", "failed") or (
            self.ending == "blocked" and self.verdict is not None
        )

    def shown(self) -> dict[str, Any]:
        """Shape this for the result of a run."""
        entry: dict[str, Any] = {
            "stepId": self.step_id,
            "ok": self.goes_on,
            "status": _STATUS[self.ending],
            "unitCount": self.unit_count,
            "failedUnits": self.failed_units,
            "summary": self.summary,
        }
        if self.verdict is not None:
            entry["accepted"] = self.verdict.complete
        if self.ending == "rejected":
            entry["again"] = True
        return entry | ({"notices": self.notices} if self.notices else {})
