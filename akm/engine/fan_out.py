"""Dispatching the units of one step: reserve, run, finish, in batches of what arrives together."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from akm.engine import attempt_rows
from akm.engine.abort import Abort
from akm.engine.budget import Spending
from akm.engine.ledger import Ledger, Recorded
from akm.engine.progress import Observe, Progress
from akm.engine.redaction import NOTHING, Redaction
from akm.engine.runners.base import Dispatch, Outcome, Runner, Shared
from akm.engine.workers import Ended, Inline, Workers
from akm.services.attempts import Finished, Reservation
from akm.workflow.results import UnitResult
from akm.workflow.worklist import WorkItem

if TYPE_CHECKING:
    from akm.engine.isolation.worktrees import Worktrees


@dataclass(frozen=True, slots=True)
class Setting:
    """What all units of a step share. `reclaimable` are the journal ids whose attempt was left running.

    `is_inline`: the runner writes to the ledger, so it runs on the driver's own thread. `worktrees` is where
    the units work, each in its own; None: all in their base directory.
    """

    ledger: Ledger
    params: Mapping[str, Any]
    environment: Mapping[str, str]
    spending: Spending
    observe: Observe
    runner: Runner
    width: int
    reclaimable: frozenset[str] = frozenset()
    bindings: Mapping[str, str] = field(default_factory=dict, repr=False)
    redaction: Redaction = NOTHING
    is_inline: bool = False
    worktrees: Worktrees | None = None


@dataclass(slots=True)
class Dispatched:
    """What came of a step's dispatches: a result per journal id, missing for units that never started.

    `is_run_active` False: somebody ended the run meanwhile. `hard_failure` fails the step whatever its
    `on_error` says.
    """

    results: dict[str, UnitResult] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)
    is_run_active: bool = True
    hard_failure: str | None = None


def fan_out(setting: Setting, items: Sequence[WorkItem], abort: Abort) -> Dispatched:
    """Dispatch `items`, in order, until all have ended or `abort` is set.

    Every attempt is reserved before it starts and finished once. Raises AkmError when nothing can be
    reserved any more; units under way are stopped and finished before it is raised.
    """
    work = _FanOut(setting, items, abort)
    try:
        work.run()
    except BaseException:
        work.stop("error")
        raise
    finally:
        work.workers.close()
    return work.done


class _FanOut:
    """One fan-out under way. Its own abort is set alone when a budget or the ledger ends it."""

    def __init__(self, setting: Setting, items: Sequence[WorkItem], abort: Abort) -> None:
        self.setting = setting
        self.abort = abort
        self.step_id = items[0].step_id
        self.waiting = deque(items)
        self.tries: Counter[str] = Counter()
        self.finished: list[Finished] = []
        runner = setting.worktrees.around(setting.runner) if setting.worktrees else setting.runner
        self.workers: Workers | Inline = (
            Inline(runner) if setting.is_inline else Workers(setting.width, runner)
        )
        self.done = Dispatched()
        self.shared = Shared()

    def run(self) -> None:
        while True:
            batch = self.take()
            if (batch or self.finished) and not self.commit(batch):
                # What could not be reserved beside an end is tried by itself, and raises if it must.
                continue
            if self.workers.running:
                for ended in self.workers.wait():
                    self.settle(ended)
            elif not self.waiting or self.abort.is_set:
                return

    def take(self) -> list[WorkItem]:
        """Take as many waiting units as may start now; a used up budget stops everything."""
        batch: list[WorkItem] = []
        while self.waiting and len(batch) < self.workers.free and not self.abort.is_set:
            if not self.setting.spending.admit(is_new=self.is_new(self.waiting[0])):
                # Those admitted just now would be started only to be stopped.
                self.put_back(batch)
                self.give_up(self.setting.spending.exceeded or "the budget is used up", "budget")
                return []
            batch.append(self.waiting.popleft())
        return batch

    def is_new(self, item: WorkItem) -> bool:
        """Tell whether a dispatch of `item` makes a new attempt instead of taking up a running one."""
        return item.journal_id not in self.setting.reclaimable or self.tries[item.journal_id] > 0

    def commit(self, batch: Sequence[WorkItem]) -> bool:
        """Write what has ended and reserve what starts next, then start it; tells whether all was written."""
        finished, self.finished = self.finished, []
        trees = self.setting.worktrees
        wanted = [attempt_rows.wanted(item, trees.new_path() if trees else None) for item in batch]
        recorded = self.setting.ledger.advance(finished, wanted)
        self.heed(recorded)
        for item, reservation in zip(batch, recorded.reserved, strict=False):
            self.start(item, reservation)
        self.put_back(batch[len(recorded.reserved) :])
        return len(recorded.reserved) == len(batch)

    def put_back(self, batch: Sequence[WorkItem]) -> None:
        """Let units wait again whose reservation was not written."""
        self.waiting.extendleft(reversed(batch))
        self.setting.spending.give_back(sum(map(self.is_new, batch)))

    def heed(self, recorded: Recorded) -> None:
        """Note what the ledger could not write, and whether the run is still ours."""
        for unit_id in recorded.refused:
            self.done.notices.append(f"A second end of {unit_id} was refused; its result is not journaled.")
        for lost in recorded.unrecorded:
            cause = f"{lost.unit_id} ran, but its result was not recorded: {lost.cause}"
            self.done.results[lost.unit_id] = UnitResult(
                lost.unit_id, False, failure_reason="journal_write_failed", diagnostic=cause
            )
            # Said at once, because what fails next may be the step's own end.
            self.setting.observe(Progress("notice", self.step_id, lost.unit_id, text=cause))
            self.give_up(cause, "journal")
        if not recorded.is_active:
            self.done.is_run_active = False
            self.abort.set("run_ended")

    def start(self, item: WorkItem, reservation: Reservation) -> None:
        self.tries[item.journal_id] += 1
        self.workers.start(
            Dispatch(
                run_id=self.setting.ledger.run_id,
                attempt=reservation.attempt,
                dispatch_id=reservation.dispatch_id,
                item=item,
                params=self.setting.params,
                abort=self.abort,
                environment=self.setting.environment,
                bindings=self.setting.bindings,
                redaction=self.setting.redaction,
                shared=self.shared,
                worktree=reservation.worktree_path,
            )
        )
        self.setting.observe(Progress("unit_started", item.step_id, item.unit_id))

    def settle(self, ended: Ended) -> None:
        """Turn an outcome into a row to write, and into another try or the unit's result."""
        item = ended.dispatch.item
        spent = self.setting.spending.priced(ended.outcome, item.node.target)
        result, outcome, row = attempt_rows.settle(ended.dispatch, spent)
        self.finished.append(row)
        self.done.notices.extend(outcome.warnings)
        self.setting.spending.spend(outcome.tokens, outcome.cost)
        self.setting.observe(
            Progress("unit_finished", item.step_id, item.unit_id, outcome.status, outcome.failure_reason)
        )
        if self.may_retry(item, outcome):
            self.waiting.appendleft(item)
        else:
            self.done.results[item.journal_id] = result
        if self.setting.spending.exceeded and (outcome.tokens or outcome.cost):
            self.give_up(self.setting.spending.exceeded, "budget")

    def may_retry(self, item: WorkItem, outcome: Outcome) -> bool:
        retry = item.node.retry
        return (
            retry is not None
            and not outcome.is_ok
            and outcome.failure_reason in retry.on
            and self.tries[item.journal_id] <= retry.max
            and not self.abort.is_set
        )

    def give_up(self, cause: str, reason: str) -> None:
        self.done.hard_failure = self.done.hard_failure or cause
        self.abort.set(reason)

    def stop(self, reason: str) -> None:
        """Stop what is under way and write its ends as well as can be, when an error is on its way out."""
        self.abort.set(reason)
        while self.workers.running:
            for ended in self.workers.wait():
                self.settle(ended)
        if self.finished:
            finished, self.finished = self.finished, []
            self.heed(self.setting.ledger.advance(finished, []))
