"""Steps with a rubric, a judge that answers by a script, and what a test looks at afterwards."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from outcomes import said
from places import Place
from workflow_files import a_step

from akm.engine.result import RunResult
from akm.engine.runners.base import Dispatch, Outcome

CONFIG = """\
[defaults]
engine = "writer"

[engines.writer]
kind = "agent"
command = ["writer"]

[engines.judge]
kind = "agent"
command = ["judge"]

[workflow]
judge_engine = "judge"
"""
PASS = '{"complete": true, "missing": []}'


def rejection(feedback: str = "Write more.", *missing: str) -> str:
    """Write a verdict that rejects."""
    return json.dumps({"complete": False, "missing": list(missing), "feedback": feedback})


def a_prose_step(step_id: str = "a", *, max_loops: int | None = None, **keys: Any) -> dict[str, Any]:
    """Describe a prose step; its rubric goes into the body."""
    gate = {} if max_loops is None else {"gate": {"max_loops": max_loops}}
    return {"id": step_id, **gate, **keys}


def judged(*step_ids: str) -> dict[str, str]:
    """Return bodies with a rubric."""
    return dict.fromkeys(step_ids, "Do it.\n\n### gate\n\nIt is done well.")


@dataclass
class Court:
    """Drives a place whose units say `work(dispatch)` and whose judge answers `verdicts` one by one."""

    place: Place
    verdicts: list[Any] = field(default_factory=list)
    asked: list[Dispatch] = field(default_factory=list)
    worked: list[Dispatch] = field(default_factory=list)
    work: Callable[[Dispatch], Outcome] = lambda dispatch: said(f"work {dispatch.item.journal_id}")

    def write(self, *steps: dict[str, Any], bodies: Iterable[str] = ("a",), **top: Any) -> None:
        """Write the workflow and the configuration."""
        folder = self.place.root / ".akm"
        folder.mkdir(exist_ok=True)
        (folder / "config.toml").write_text(CONFIG)
        self.place.write(*steps, body=judged(*bodies), **top)

    def run(self, *verdicts: Any, **options: Any) -> RunResult:
        """Drive the run with these answers of its judge."""
        self.verdicts = list(verdicts)
        return self.place.fake(self._act, **options)

    def _act(self, dispatch: Dispatch) -> Outcome:
        if dispatch.prompt is None:
            self.worked.append(dispatch)
            return self.work(dispatch)
        self.asked.append(dispatch)
        answer = self.verdicts.pop(0)
        return answer if isinstance(answer, Outcome) else said(answer)

    @property
    def worked_ids(self) -> list[str]:
        """List the units that worked, in order."""
        return [dispatch.item.journal_id for dispatch in self.worked]

    def gates(self) -> list[tuple[str, int, str, Any]]:
        """List the judge's attempts as (unit, attempt, status, verdict)."""
        rows = self.place.rows(
            "SELECT * FROM workflow_run_unit_attempts WHERE phase = 'gate' ORDER BY unit_id, attempt"
        )
        return [
            (row["unit_id"], row["attempt"], row["status"], json.loads(row["result_json"] or "null"))
            for row in rows
        ]

    def step(self, step_id: str = "a") -> dict[str, Any]:
        """Read a step's row."""
        return self.place.row("SELECT * FROM workflow_run_steps WHERE step_id = ?", step_id)


__all__ = ["PASS", "Court", "a_prose_step", "a_step", "judged", "rejection"]
