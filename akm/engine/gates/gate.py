"""Asking a step's judge. The call is journalled as an attempt; what follows from it is not decided here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from akm.engine.abort import Abort
from akm.engine.gates import gate_position
from akm.engine.progress import Progress
from akm.engine.redaction import Redaction
from akm.engine.runners import structured
from akm.engine.runners.base import Dispatch, Outcome, Runner
from akm.engine.workers import Workers
from akm.services.attempts import Finished, Reservation, Wanted
from akm.workflow import judging
from akm.workflow.judging import NoVerdict, Verdict
from akm.workflow.plan import CommandTarget, PlanStep, UnitNode
from akm.workflow.prompt import Prompt
from akm.workflow.reduce import Reduced
from akm.workflow.results import clip
from akm.workflow.worklist import WorkItem

if TYPE_CHECKING:
    from akm.engine.drive import Drive

_FAULT_CLIP = 1000


@dataclass(frozen=True, slots=True)
class Judged:
    """What a gate call came to: a verdict, or a fault that is none, or neither when it was stopped.

    `end` is how the attempt ended; it is not written yet. None: the run was ended meanwhile, nothing ran.
    """

    verdict: Verdict | None = None
    fault: str | None = None
    end: Finished | None = None
    warnings: tuple[str, ...] = ()

    @property
    def ends(self) -> list[Finished]:
        """Return the end to write, as a batch."""
        return [] if self.end is None else [self.end]


def judge(drive: Drive, step: PlanStep, loop: int, reduced: Reduced, redaction: Redaction) -> Judged:
    """Ask the judge whether the artifact meets the step's criteria.

    An outage and an answer that is no verdict are faults, never a verdict of either kind. Raises AkmError
    when the attempt cannot be reserved; nothing was asked then.
    """
    target = step.gate.judge
    if target is None:
        return Judged(fault="nobody can judge it: no judge was configured when the run was started")
    node = UnitNode(step.gate.id, "\n".join(judging.criteria_of(step)), target)
    runner = drive.runner_for(node)
    if runner is None:
        return Judged(fault=f"its judge is of a kind ({target.runner.get('kind')}) that cannot be asked here")
    if (broke := drive.spending.no_money()) is not None:
        return Judged(fault=f"its judge was not asked: {broke}")
    prompt = judging.ask(step, reduced.summary, reduced.output)
    item = _item(step, node, loop, judging.input_hash(target, prompt))
    recorded = drive.ledger.advance([], [_wanted(item, target)])
    if not recorded.reserved:
        return Judged()
    drive.observe(Progress("gate_started", step.step_id, item.unit_id))
    reserved = recorded.reserved[0]
    outcome = drive.spending.priced(_asked(drive, runner, item, reserved, prompt, redaction), target)
    # Judging is free in units and tokens, and not in money.
    drive.spending.spend(None, outcome.cost)
    return _judged(outcome, reserved, drive)


def _asked(
    drive: Drive,
    runner: Runner,
    item: WorkItem,
    reserved: Reservation,
    prompt: Prompt,
    redaction: Redaction,
) -> Outcome:
    abort = Abort(drive.abort)
    workers = Workers(1, runner)
    try:
        workers.start(
            Dispatch(
                run_id=drive.ledger.run_id,
                attempt=reserved.attempt,
                dispatch_id=reserved.dispatch_id,
                item=item,
                params=drive.params,
                abort=abort,
                environment=drive.environment,
                prompt=prompt,
                redaction=redaction,
            )
        )
        return workers.wait()[0].outcome
    except BaseException:
        abort.set("error")
        raise
    finally:
        workers.close()
        abort.close()


def _judged(outcome: Outcome, reserved: Reservation, drive: Drive) -> Judged:
    if drive.abort.is_set:
        return Judged(end=_end(reserved, outcome, "failed", reason="aborted"), warnings=outcome.warnings)
    fault = _fault(outcome)
    if fault is None:
        try:
            verdict = judging.read(_value(outcome))
        except (NoVerdict, structured.NotJson) as error:
            fault = f"its judge's answer {error}"
        else:
            end = _end(reserved, outcome, "completed", result_json=verdict.json())
            return Judged(verdict, end=end, warnings=outcome.warnings)
    end = _end(reserved, outcome, "failed", reason="dispatch_error")
    return Judged(fault=fault, end=end, warnings=outcome.warnings)


def _fault(outcome: Outcome) -> str | None:
    if outcome.is_ok:
        return None
    said = clip(outcome.diagnostic or outcome.failure_reason or "it failed", _FAULT_CLIP)
    return f"its judge could not be asked: {said}"


def _value(outcome: Outcome) -> object:
    return outcome.result if outcome.has_result else structured.leniently(outcome.text or "")


def _item(step: PlanStep, node: UnitNode, loop: int, input_hash: str) -> WorkItem:
    unit_id = gate_position.unit_id(step, loop)
    return WorkItem(step.step_id, unit_id, unit_id, node, input_hash)


def _wanted(item: WorkItem, target: CommandTarget) -> Wanted:
    return Wanted(
        unit_id=item.journal_id,
        step_id=item.step_id,
        node_id=item.node.id,
        phase="gate",
        input_hash=item.input_hash,
        runner=str(target.runner["kind"]),
        engine=target.request.get("engine"),
        model=target.request.get("model"),
    )


def _end(
    reserved: Reservation,
    outcome: Outcome,
    status: str,
    *,
    reason: str | None = None,
    result_json: str | None = None,
) -> Finished:
    return Finished(
        unit_id=reserved.unit_id,
        attempt=reserved.attempt,
        dispatch_id=reserved.dispatch_id,
        status=status,
        result_json=result_json,
        tokens=outcome.tokens,
        cost=outcome.cost,
        failure_reason=reason,
        session_id=outcome.session_id,
    )
