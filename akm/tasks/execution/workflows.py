"""Driving the workflow of a task: a fresh run with its inputs as parameters, or the run that is active."""

from __future__ import annotations

from collections.abc import Callable

from akm import states
from akm.engine import driver
from akm.engine.abort import Abort
from akm.engine.target import Existing, resolve
from akm.errors import AkmError, ConfigError, TransientError
from akm.tasks.execution import outcome
from akm.tasks.execution.attempt import Opened
from akm.tasks.execution.outcome import Outcome
from akm.tasks.execution.prepare import Flow
from akm.tasks.files.task import Task


def drive(task: Task, flow: Flow, opened: Opened, abort: Abort, *, now: Callable[[], str]) -> Outcome:
    """Drive the run to its end and judge it.

    Raises ConfigError, and TransientError when another process is in the way; any other error of akm's own
    is how the run ended.
    """
    options = driver.Options(
        max_steps=task.max_steps,
        max_retries=task.max_retries or 0,
        timeout_ms=task.timeout_ms,
        now=now,
        environment=flow.env,
    )
    try:
        with opened() as db:
            # Opening may have waited for others; what is driven watches for signals itself.
            if abort.is_set:
                return Outcome(states.FAILED, outcome.of_signal(abort.reason) or 1, {"reason": "terminated"})
            target = resolve(db, flow.work, flow.ref, new=False, has_params=False)
            # The run that is active keeps the parameters it was started with.
            given = {} if isinstance(target, Existing) else dict(flow.parameters)
            return outcome.of_run(driver.run(db, flow.work, flow.ref, given=given, options=options))
    except (ConfigError, TransientError):
        raise
    except AkmError as error:
        if error.exit_status == AkmError.exit_status:
            raise
        return _of_error(error)


def _of_error(error: AkmError) -> Outcome:
    code = error.code or "INTERNAL"
    hints = (error.hint,) if error.hint else ()
    detail = {"reason": "workflow_error", "error": code}
    return Outcome(states.FAILED, 1, detail, (f"error={error.message}",), notices=(error.message, *hints))
