"""One run of a task: prepare it, reserve its row, dispatch it, write its log and close its row."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from akm import clock, states
from akm.engine.abort import Abort
from akm.engine.signals import stopping
from akm.engine.workplace import Workplace
from akm.errors import AkmError
from akm.tasks.execution import attempt, launcher, log_file, processes, workflows
from akm.tasks.execution.attempt import Opened, Reservation
from akm.tasks.execution.outcome import Outcome
from akm.tasks.execution.prepare import Flow, Prepared, prepare
from akm.tasks.execution.redaction import Redactor, configured
from akm.tasks.execution.result import TaskResult, duration_ms, safe_code
from akm.tasks.files.task import Task


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a run needs besides its task. `announce` hears each warning as soon as it is known."""

    opened: Opened
    work: Workplace
    environment: Mapping[str, str]
    launcher: Sequence[str]
    now: Callable[[], str]
    announce: Callable[[str], None]


def surroundings(
    opened: Opened,
    work: Workplace,
    *,
    environment: Mapping[str, str] | None = None,
    launched_by: Sequence[str] | None = None,
    now: Callable[[], str] = clock.now,
    announce: Callable[[str], None] = lambda _text: None,
) -> Surroundings:
    """Gather the surroundings, by default this process's own. `opened` opens the ledger."""
    return Surroundings(
        opened,
        work,
        dict(os.environ) if environment is None else environment,
        launcher.argv() if launched_by is None else launched_by,
        now,
        announce,
    )


def run(task: Task, around: Surroundings, *, inputs: Mapping[str, Any] | None = None) -> TaskResult:
    """Run a task to its end. `inputs` are bound already.

    Raises what preparing finds: then there is no row and no log. Raises what dispatching raises after the
    row is closed as failed. How the work itself ended is in the result.
    """
    job = prepare(task, around.work, inputs or {}, environment=around.environment, launcher=around.launcher)
    for warning in job.warnings:
        around.announce(warning)
    with closing(Abort()) as abort, stopping(abort):
        reservation = attempt.reserve(around.opened, task, at=around.now())
        if reservation.problem is not None:
            around.announce(f"This run of {task.id} is not in the history: {reservation.problem}")
        return _Run(task, around, job, reservation).to_its_end(abort)


@dataclass(frozen=True, slots=True)
class _Run:
    """A run whose row, if there can be one, is open."""

    task: Task
    around: Surroundings
    job: Prepared
    reservation: Reservation

    def to_its_end(self, abort: Abort) -> TaskResult:
        try:
            outcome = self._dispatch(abort)
        except BaseException as error:
            self._close_failed(error)
            raise
        text = log_file.text(self.task.id, self.job.kind, outcome, warnings=self.job.warnings)
        finished_at, log, lost = self._close(outcome, text, target_kind=self.job.kind)
        return TaskResult(
            task=self.task,
            job=self.job,
            outcome=outcome,
            started_at=self.reservation.started_at,
            finished_at=finished_at,
            log=log,
            history_reserved=self.reservation.is_reserved,
            lost=lost,
            redactor=self._redactor,
        )

    def _dispatch(self, abort: Abort) -> Outcome:
        if isinstance(self.job, Flow):
            return workflows.drive(self.task, self.job, self.around.opened, abort, now=self.around.now)
        return processes.run(self.job, abort)

    def _close_failed(self, error: BaseException) -> None:
        code = safe_code(error)
        reason = "task_dispatch_failed"
        outcome = Outcome(states.FAILED, 1, {"reason": reason, "error": code})
        self._close(outcome, log_file.failed_text(reason, code), target_kind=None)

    def _close(self, outcome: Outcome, text: str, *, target_kind: str | None) -> tuple[str, str, str | None]:
        """Write log and row; returns when it ended, the log's path or nothing, and why the row is lost."""
        started_at = self.reservation.started_at
        # The clock may have been set back meanwhile.
        finished_at = max(started_at, self.around.now())
        log = self._write_log(text)
        lost = attempt.close(
            self.around.opened,
            self.task.id,
            self.reservation,
            self._ended(outcome, finished_at, log, target_kind),
        )
        if lost is not None and self.reservation.is_reserved:
            self.around.announce(f"The end of this run of {self.task.id} is not in the history: {lost}")
        return finished_at, log, lost

    def _ended(self, outcome: Outcome, finished_at: str, log: str, target_kind: str | None) -> Any:
        from akm.services.task_history import Ended

        is_known = target_kind is not None
        return Ended(
            status=outcome.status,
            completed_at=finished_at,
            log_path=log or None,
            target_kind=target_kind,
            target_ref=self.job.ref if is_known else None,
            duration_ms=duration_ms(self.reservation.started_at, finished_at),
            detail=dict(outcome.detail) if outcome.detail is not None else None,
            engine=self.job.engine if is_known else None,
            has_engine=target_kind == "command",
            bundle=self.task.owner,
        )

    def _write_log(self, text: str) -> str:
        try:
            file = log_file.path(self.task.id, self.reservation.started_at)
        except AkmError as error:
            self.around.announce(error.message)
            return ""
        problem = log_file.write(file, text, self._redactor)
        if problem is not None:
            self.around.announce(problem)
            return ""
        return str(file)

    @property
    def _redactor(self) -> Redactor:
        named = (*self.task.redact, *configured(self.around.work.layers.values))
        return Redactor({**self.around.environment, **self.task.env}, named)
