"""How an executed step ends: stopped, failed, judged, completed or blocked; each end is one transaction."""

from __future__ import annotations

from typing import Any

from akm import states
from akm.engine import child, runs_below
from akm.engine.drive import Drive
from akm.engine.executed import Executed
from akm.engine.fan_out import Dispatched
from akm.engine.gates import approvals, gate
from akm.engine.gates.gate import Judged
from akm.engine.gates.gate_position import Position
from akm.engine.progress import Progress
from akm.engine.redaction import Redaction
from akm.services import steps
from akm.services.attempts import Finished
from akm.workflow import judging
from akm.workflow.hashing import canonical
from akm.workflow.judging import Verdict
from akm.workflow.plan import PlanStep
from akm.workflow.reduce import Reduced


def is_cut_short(drive: Drive, entry: Executed, dispatched: Dispatched) -> bool:
    """Tell whether there is nothing to reduce: the step was stopped, or it has failed for good here."""
    if drive.abort.is_set or not dispatched.is_run_active:
        _stop(drive, entry)
        entry.notices += [f"{dispatched.hard_failure}."] if dispatched.hard_failure else []
        return True
    if dispatched.hard_failure is None:
        return False
    entry.summary = f"Step {entry.step_id} failed: {dispatched.hard_failure}."
    entry.is_hard = True
    fail(drive, entry, {"error": dispatched.hard_failure})
    return True


def end(
    drive: Drive,
    step: PlanStep,
    position: Position,
    entry: Executed,
    reduced: Reduced,
    redaction: Redaction,
) -> Position | None:
    """End the step by its artifact and its gate; returns the position of the loop that has to follow."""
    entry.summary = reduced.summary
    if any(result.failure_reason == child.BLOCKED for result in reduced.failed):
        entry.ending = "blocked"
        entry.blocked_child = runs_below.blocked_child(drive.ledger.db, drive.ledger.run_id)
        _write(drive, entry, states.BLOCKED, reduced.evidence)
        return None
    if reduced.artifact_problem and not position.is_last:
        # Leaves no row: executing the step anew comes to the same miss from the same finished units.
        return _again(drive, entry, position, reduced.summary)
    if not reduced.ok:
        fail(drive, entry, reduced.evidence)
        return None
    if step.gate.approve:
        _await_person(drive, step, position, entry, reduced)
        return None
    if not judging.criteria_of(step):
        _complete(drive, entry, reduced)
        return None
    judged = gate.judge(drive, step, position.loop, reduced, redaction)
    return _heed(drive, position, entry, reduced, judged)


def fail(drive: Drive, entry: Executed, evidence: dict[str, Any]) -> Executed:
    """End the step as failed, for the reason in the entry's summary."""
    entry.ending = "failed"
    _write(drive, entry, states.FAILED, evidence)
    return entry


def _await_person(
    drive: Drive, step: PlanStep, position: Position, entry: Executed, reduced: Reduced
) -> None:
    entry.ending = "blocked"
    entry.awaits_approval = True
    entry.summary = f"{reduced.summary} {approvals.sentence(drive.ledger.run_id)}"
    evidence = approvals.evidence_of(step, position.loop, reduced.evidence)
    _write(drive, entry, states.BLOCKED, evidence)


def skip(drive: Drive, step: PlanStep) -> Executed:
    """End a step that no route selected."""
    entry = Executed(step.step_id, "skipped", "Skipped: no route selected it.")
    _write(drive, entry, states.SKIPPED, None)
    return entry


def _heed(
    drive: Drive, position: Position, entry: Executed, reduced: Reduced, judged: Judged
) -> Position | None:
    entry.notices += judged.warnings
    entry.verdict = judged.verdict
    if judged.fault is not None:
        _block_unjudged(drive, entry, reduced, judged.fault, judged.end)
    elif judged.verdict is None:
        _stop(drive, entry)
        drive.ledger.advance(judged.ends, [])
    elif judged.verdict.complete:
        _complete(drive, entry, reduced, judged.end)
    elif position.is_last:
        _block_rejected(drive, entry, reduced, position, judged.verdict, judged.end)
    else:
        return _reject(drive, entry, reduced, position, judged.verdict, judged.ends)
    return None


def _reject(
    drive: Drive,
    entry: Executed,
    reduced: Reduced,
    position: Position,
    verdict: Verdict,
    ends: list[Finished],
) -> Position | None:
    recorded = drive.ledger.advance(ends, [])
    if recorded.unrecorded or not recorded.is_active:
        if recorded.is_active:
            _block_unjudged(
                drive, entry, reduced, f"its verdict is lost: {recorded.unrecorded[0].cause}", None
            )
        return None
    entry.summary = f"{reduced.summary} Its judge rejected it: {verdict.account}"
    return _again(drive, entry, position, verdict.account)


def _again(drive: Drive, entry: Executed, position: Position, feedback: str) -> Position:
    entry.ending = "rejected"
    left = f"loop {position.loop} of {position.limit}"
    drive.observe(Progress("step_rejected", entry.step_id, status=left, text=entry.summary))
    return position.next(feedback)


def _block_rejected(
    drive: Drive,
    entry: Executed,
    reduced: Reduced,
    position: Position,
    verdict: Verdict,
    end: Finished | None,
) -> None:
    entry.ending = "blocked"
    entry.summary = f"The judge rejected it in loop {position.loop}, the last: {verdict.account}"
    _write(drive, entry, states.BLOCKED, reduced.evidence, end)


def _block_unjudged(
    drive: Drive, entry: Executed, reduced: Reduced, fault: str, end: Finished | None
) -> None:
    entry.ending = "blocked"
    entry.judge_fault = fault
    entry.summary = f"The units are done, but {fault.rstrip('.')}."
    _write(drive, entry, states.BLOCKED, reduced.evidence, end)


def _complete(drive: Drive, entry: Executed, reduced: Reduced, judged: Finished | None = None) -> None:
    entry.ending = "advanced"
    _write(drive, entry, states.COMPLETED, reduced.evidence, judged)


def _stop(drive: Drive, entry: Executed) -> None:
    entry.ending = "stopped"
    entry.summary = f"Stopped ({drive.abort.reason or 'the run was ended elsewhere'})."


def _write(
    drive: Drive,
    entry: Executed,
    status: str,
    evidence: dict[str, Any] | None,
    judged: Finished | None = None,
) -> None:
    is_done = status == states.COMPLETED
    steps.complete(
        drive.ledger.db,
        drive.ledger.run_id,
        entry.step_id,
        status=status,
        at=drive.ledger.now(),
        summary=entry.summary if is_done else None,
        notes=None if is_done else entry.summary,
        evidence_json=None if evidence is None else canonical(evidence),
        judged=judged,
    )
    drive.observe(Progress("step_ended", entry.step_id, status=status, text=entry.summary))
