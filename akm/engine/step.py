"""Executing one step: list its work, reuse what is finished, dispatch the rest, and loop for its gate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

from akm import states
from akm.engine import child, reuse, step_end, width
from akm.engine.abort import Abort
from akm.engine.drive import Drive
from akm.engine.executed import Executed
from akm.engine.fan_out import Dispatched, Setting, fan_out
from akm.engine.gates import artifact, gate_position
from akm.engine.gates.gate_position import Position
from akm.engine.isolation import worktrees
from akm.engine.isolation.worktrees import Worktrees
from akm.engine.outputs import Outputs
from akm.engine.progress import Progress
from akm.engine.redaction import Redaction
from akm.engine.secrecy.step_secrets import StepSecrets
from akm.engine.start import refuse_unsupported
from akm.errors import AkmError, UsageError
from akm.store.sql import StepUnit
from akm.views import events, units
from akm.workflow import judging, references, routing, worklist
from akm.workflow.plan import ChildTarget, Plan, PlanStep, RouteNode
from akm.workflow.reduce import Reduced, UnitResult, reduce
from akm.workflow.worklist import WorkItem, WorkListError


def execute(drive: Drive, step: PlanStep) -> list[Executed]:
    """Execute the run's current step and write how it ended, unless it was stopped; an entry per gate loop.

    Raises UsageError when a stored verdict, choice or result is damaged; nothing was dispatched then.
    """
    refuse_unsupported(Plan(drive.plan.title, (step,), drive.plan.max_concurrency))
    if _is_left_out(drive, step):
        return [step_end.skip(drive, step)]
    rows = units.of_step(drive.ledger.db, drive.ledger.run_id, step.step_id)
    position = gate_position.of(step, rows, drive.ledger.run_id)
    entries: list[Executed] = []
    secrets = StepSecrets(drive, step)
    while True:
        entry, then = _loop(drive, step, rows, position, secrets)
        entry.notices += secrets.notices() if then is None else []
        entries.append(entry)
        if then is None:
            return entries
        position = then


def _is_left_out(drive: Drive, step: PlanStep) -> bool:
    run_id = drive.ledger.run_id
    try:
        return routing.is_left_out(drive.plan, step.step_id, Outputs(drive.ledger.db, run_id))
    except routing.DamagedChoice as error:
        hint = f"Start afresh: `akm workflow abandon {run_id}`, then run the workflow again."
        raise UsageError(f"{error} (evidence_json of run {run_id}).", hint=hint) from None


class _Looped(NamedTuple):
    """One loop's entry, and where the next loop stands; None when there is no next one."""

    entry: Executed
    then: Position | None = None


def _loop(
    drive: Drive, step: PlanStep, rows: Sequence[StepUnit], position: Position, secrets: StepSecrets
) -> _Looped:
    if isinstance(step.root, RouteNode):
        return _route(drive, step, step.root, position, secrets)
    try:
        items = _items(drive, step, position)
    except WorkListError as error:
        return _Looped(_refused(drive, step, str(error)))
    journal = reuse.journal(rows)
    known, notices = reuse.take_over(items, journal)
    drive.observe(Progress("step_started", step.step_id, total=len(items), reused=len(known)))
    wanted = [item for item in items if item.journal_id not in known]
    try:
        # Only for work that is dispatched: a step that is finished needs no env asset any more.
        trees = worktrees.of_step(drive, step) if wanted else None
        bindings = secrets.read() if wanted else {}
    except AkmError as error:
        return _Looped(_refused(drive, step, f"Step {step.step_id} was not started: {error.message}"))
    dispatched = _dispatch(drive, step, wanted, journal, bindings, secrets.redaction, trees)
    dispatched.results |= known
    results = [dispatched.results.get(item.journal_id) or _never_ran(item) for item in items]
    entry = Executed(
        step.step_id,
        "stopped",
        unit_count=len(results),
        failed_units=sum(not result.ok for result in results),
        notices=notices + dispatched.notices,
    )
    if 0 < len(items) == len(known):
        if events.resumed_after(drive.ledger.db, drive.ledger.run_id, known):
            position = position.reopened(step)
        else:
            # The last driver was killed when they had ended, before it could say what follows from it.
            dispatched.hard_failure = drive.spending.used_up()
    if step_end.is_cut_short(drive, entry, dispatched):
        # What was never started has not failed: it is done when the run goes on.
        entry.failed_units = sum(not result.ok for result in dispatched.results.values())
        return _Looped(entry)
    reduced = worktrees.named(drive, step, reduce(step, artifact.read(step, results)))
    return _Looped(entry, step_end.end(drive, step, position, entry, reduced, secrets.redaction))


def _route(
    drive: Drive, step: PlanStep, route: RouteNode, position: Position, secrets: StepSecrets
) -> _Looped:
    outputs = Outputs(drive.ledger.db, drive.ledger.run_id)
    try:
        value = references.resolve(references.parse(route.input), drive.params, outputs)
        chosen = {"selected": routing.choose(route, value), "value": secrets.redaction.value(value)}
    except ValueError as error:
        why = secrets.redaction.text(str(error))
        return _Looped(_refused(drive, step, f"Step {step.step_id} cannot choose: {why}"))
    summary = f'Chose step "{chosen["selected"]}" for {route.input}.'
    reduced = Reduced({"output": chosen, "route": {"input": route.input, **chosen}}, True, summary)
    entry = Executed(step.step_id, "stopped")
    return _Looped(entry, step_end.end(drive, step, position, entry, reduced, secrets.redaction))


def _refused(drive: Drive, step: PlanStep, sentence: str) -> Executed:
    return step_end.fail(drive, Executed(step.step_id, "failed", sentence), {"error": sentence})


def _items(drive: Drive, step: PlanStep, position: Position) -> list[WorkItem]:
    outputs = Outputs(drive.ledger.db, drive.ledger.run_id)
    if not judging.answers_feedback(step):
        # A command's units are the same in every loop: only its judge is asked again.
        return worklist.build(step, run_params=drive.params, outputs=outputs)
    return worklist.build(
        step,
        run_params=drive.params,
        outputs=outputs,
        loop=position.loop,
        gate_feedback=position.feedback,
    )


def _dispatch(
    drive: Drive,
    step: PlanStep,
    items: list[WorkItem],
    journal: Mapping[str, StepUnit],
    bindings: Mapping[str, str],
    redaction: Redaction,
    trees: Worktrees | None,
) -> Dispatched:
    node = step.unit
    if not items or node is None:
        return Dispatched()
    is_child = isinstance(node.target, ChildTarget)
    runner = partial(child.run, drive) if is_child else drive.runner_for(node)
    if runner is None:
        raise UsageError(f"Step {step.step_id} is of a kind that this version cannot run.")
    abort = Abort(drive.abort)
    try:
        setting = Setting(
            ledger=drive.ledger,
            params=drive.params,
            environment=drive.environment,
            bindings=bindings,
            redaction=redaction,
            spending=drive.spending,
            observe=drive.observe,
            runner=runner,
            is_inline=is_child,
            worktrees=trees,
            width=min(width.of_step(drive.plan, step, drive.max_concurrency), len(items)),
            reclaimable=frozenset(name for name, row in journal.items() if row.status == states.RUNNING),
        )
        return fan_out(setting, items, abort)
    finally:
        abort.close()
        if trees is not None:
            trees.close()


def _never_ran(item: WorkItem) -> UnitResult:
    return UnitResult(
        item.unit_id, False, failure_reason="aborted", diagnostic=f"{item.unit_id} was never started"
    )
