"""Acts that end a step: by whoever drives the run, and by a person it waits for."""

from __future__ import annotations

import json
from typing import Any

from attempt_rules import AttemptRules, wanted
from builders import rows
from hypothesis import strategies as st
from hypothesis.stateful import rule
from ledger_model import ModelRun, Row
from ledger_state import RUNS, STEPS, WANTED, picked
from refusals import REFUSED

from akm.services import approvals, attempts
from akm.services import steps as step_acts
from akm.services.attempts import Finished

WAITS = '{"approval":{"state":"awaited"},"output":1}'
#: The step that a run is at, four times of five.
PLACES = st.sampled_from([None, None, None, None, *STEPS[:2], "step-9"])
TEXTS = st.sampled_from(["Done.", None, " \n", "é \0 \U0001f600"])
STATUSES = st.sampled_from(["completed", "blocked", "failed", "skipped"])


class StepRules(AttemptRules):
    """What moves a run along its steps."""

    @rule(
        run_id=RUNS,
        step=PLACES,
        status=STATUSES,
        texts=st.tuples(TEXTS, TEXTS),
        evidence=st.sampled_from([None, "{}", WAITS, WAITS]),
        judged=st.sampled_from([None, None, 0, 1, 5]),
    )
    def complete(
        self,
        run_id: str,
        step: str | None,
        status: str,
        texts: tuple[str | None, str | None],
        evidence: str | None,
        judged: int | None,
    ) -> None:
        run, at, (summary, notes) = self.model.runs.get(run_id), self.at(), texts
        step_id = step or (run.row["current_step_id"] if run else None) or "step-1"
        verdict = next(iter(self._endings(run_id, [] if judged is None else [judged], "completed", 1)), None)
        ending = {"status": status, "summary": summary, "evidence_json": evidence}
        real = self.told(
            lambda: step_acts.complete(
                self.db,
                run_id,
                step_id,
                at=at,
                notes=notes,
                judged=verdict,
                **ending,  # type: ignore[arg-type]
            )
        )
        ending |= {"notes": (notes or "").strip() or None, "completed_at": at}
        lacks = status == "completed" and not (summary or "").strip()
        expected = REFUSED if lacks else self._completed(run, step_id, ending, verdict, at)
        assert real == expected

    def _completed(
        self, run: ModelRun | None, step_id: str, ending: Row, verdict: Finished | None, at: str
    ) -> Any:
        step = None if run is None or run.status != "active" else run.step(step_id)
        if run is None or step is None or step is not run.current() or step["status"] != "pending":
            return REFUSED
        if verdict is not None and not self.model.finish(run, verdict._asdict(), at):
            return REFUSED
        return self.model.end_step(run, step, ending, at)

    @rule(run_id=RUNS, step=PLACES, decided=st.sampled_from(["yes", "no", "again"]))
    def decide(self, run_id: str, step: str | None, decided: str) -> None:
        run, at = self.model.runs.get(run_id), self.at()
        step_id = step or (run.row["current_step_id"] if run else None) or "step-1"
        call = wanted(f"{step_id}.gate:l1")
        decision = approvals.Decision(call, '{"complete":true}', "ann", "Fine.")
        if decided == "yes":
            real = self.told(lambda: approvals.approve(self.db, run_id, step_id, decision, value=[1], at=at))
        else:
            reopens = decided == "again"
            real = self.told(
                lambda: approvals.reject(self.db, run_id, step_id, decision, reopens=reopens, at=at)
            )
        assert real == self._decided(run, step_id, call, decided, at)

    def _decided(
        self, run: ModelRun | None, step_id: str, call: attempts.Wanted, decided: str, at: str
    ) -> Any:
        step = None if run is None or run.status != "blocked" else run.step(step_id)
        if run is None or step is None or step is not run.current() or step["evidence_json"] != WAITS:
            return REFUSED
        query = "SELECT dispatch_id FROM workflow_run_unit_attempts WHERE run_id = ? AND unit_id = ?"
        given = rows(self.db, f"{query} ORDER BY attempt DESC", run.row["id"], call.unit_id)[0]["dispatch_id"]
        ((unit_id, attempt, dispatch_id, _),) = self.model.reserve(
            run, [picked(WANTED, call._asdict())], at, [given]
        )
        verdict = Finished(unit_id, attempt, dispatch_id, "completed", '{"complete":true}')
        assert self.model.finish(run, verdict._asdict(), at)
        kind = "workflow_approved" if decided == "yes" else "workflow_rejected"
        self.model.tell(kind, run.row["id"], stepId=step_id)
        return self.model.end_step(run, step, _decision(decided, at), at)


def _decision(decided: str, at: str) -> Row:
    if decided == "again":
        return dict.fromkeys(("notes", "evidence_json", "summary", "completed_at")) | {"status": "pending"}
    given = {"by": "ann", "at": at, "note": "Fine."} | ({"value": [1]} if decided == "yes" else {})
    key = "approval" if decided == "yes" else "rejection"
    evidence = {**json.loads(WAITS), key: given}
    return {
        "status": "completed" if decided == "yes" else "failed",
        "notes": "Fine." if decided == "yes" else "ann rejected it: Fine.",
        "summary": "Approved." if decided == "yes" else None,
        "evidence_json": json.dumps(evidence, sort_keys=True, separators=(",", ":")),
        "completed_at": at,
    }
