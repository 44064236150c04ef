"""Running the process of a task under the same supervision as a unit's: its group, its timeout, its abort."""

from __future__ import annotations

from akm.engine.abort import Abort
from akm.engine.runners import process
from akm.tasks.execution import outcome
from akm.tasks.execution.outcome import Outcome
from akm.tasks.execution.prepare import Program


def run(job: Program, abort: Abort) -> Outcome:
    """Run a process to its end, its timeout or the abort, and judge how it ended."""
    end = process.supervise(
        job.argv,
        program=job.file,
        cwd=str(job.cwd),
        env=job.env,
        stdin=job.stdin,
        timeout_ms=job.timeout_ms,
        abort=abort,
    )
    return outcome.of_process(end, timeout_ms=job.timeout_ms, stopped_by=abort.reason)
