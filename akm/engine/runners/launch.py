"""Starting the process of a unit, the same way for a command and for an agent's program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from akm.engine.abort import Abort
from akm.engine.redaction import NOTHING, Redaction
from akm.engine.runners import process, program
from akm.engine.runners.base import Outcome
from akm.engine.runners.ending import Command, failure


@dataclass(frozen=True, slots=True)
class Launch:
    """A process to be: `label` is how messages call its unit, `structured` says that its output is parsed.

    `stdin` None closes its input. `spent_ms` of the timeout have gone already. `programs` remembers the files
    found for names. `redaction` is applied to what is cut of its output.
    """

    label: str
    argv: tuple[str, ...]
    cwd: str
    env: Mapping[str, str] = field(repr=False)
    timeout_ms: int | None
    abort: Abort
    structured: bool
    stdin: bytes | None = field(repr=False, default=None)
    spent_ms: int = 0
    programs: dict[tuple[str, str, str | None], str] = field(repr=False, default_factory=dict)
    redaction: Redaction = NOTHING


def launch(job: Launch) -> tuple[Command, process.Exit] | Outcome:
    """Run the process to its end: the command and how it ended when all is well, else the failure."""
    ended = to_its_end(job)
    if isinstance(ended, Outcome):
        return ended
    return failure(*ended, structured=job.structured) or ended


def to_its_end(job: Launch) -> tuple[Command, process.Exit] | Outcome:
    """Run the process and return how it ended, well or not; a failure when there is no such program."""
    name = job.argv[0] if job.argv else ""
    command = Command(job.label, name, max(0, len(job.argv) - 1), job.timeout_ms, job.abort, job.redaction)
    where = name, job.cwd, job.env.get("PATH")
    found = job.programs.get(where) or program.find(name, cwd=job.cwd, path=where[2])
    if found is None:
        return command.not_started(program.why_not_found(name, cwd=job.cwd))
    # One that disappears meanwhile is an error of the start, told as any other.
    job.programs[where] = found
    end = process.supervise(
        job.argv,
        program=found,
        cwd=job.cwd,
        env=job.env,
        stdin=job.stdin,
        timeout_ms=None if job.timeout_ms is None else max(0, job.timeout_ms - job.spent_ms),
        abort=job.abort,
    )
    return command, end
