"""What a run of a task came to, as its command shows it, and its exit status."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from akm import clock
from akm.tasks.execution.outcome import Outcome
from akm.tasks.execution.prepare import Flow, Prepared
from akm.tasks.execution.redaction import Redactor
from akm.tasks.files.task import Task

#: The codes that may stand in a row; everything else is INTERNAL, so that the words are a closed set.
SAFE_CODES = frozenset({
    "CONFIG_DIR_UNRESOLVABLE", "STASH_DIR_NOT_FOUND", "STASH_DIR_NOT_A_DIRECTORY",
    "STASH_DIR_UNREADABLE", "LLM_NOT_CONFIGURED", "INVALID_CONFIG_FILE", "TEST_ISOLATION_MISSING",
    "INVALID_FLAG_VALUE", "MISSING_REQUIRED_ARGUMENT", "PATH_ESCAPE_VIOLATION",
    "TASK_SCHEMA_VERSION_UNSUPPORTED", "ASSET_NOT_FOUND", "WORKFLOW_NOT_FOUND", "FILE_NOT_FOUND",
    "TASK_SOURCE_INVALID", "COMPOSITION_INVALID", "TARGET_REF_INVALID", "WORKFLOW_SOURCE_INVALID",
    "INPUT_BINDING_INVALID", "TASK_TARGET_UNSUPPORTED",
})  # fmt: skip
#: Somebody else in the way is nothing internal either.
HELD_CODES = frozenset({"RUN_LEASE_HELD", "STATE_DB_CONTENDED"})


def safe_code(error: BaseException) -> str:
    """Return the error's code when it may be kept, else `INTERNAL`."""
    code = getattr(error, "code", None)
    return code if isinstance(code, str) and code in SAFE_CODES | HELD_CODES else "INTERNAL"


def duration_ms(started_at: str, finished_at: str) -> int:
    """Return the whole milliseconds between two timestamps."""
    return round((clock.seconds(finished_at) - clock.seconds(started_at)) * 1000)


@dataclass(frozen=True, slots=True)
class TaskResult:
    """One run of a task. `log` is empty when none could be written; `lost` says why its row is not there."""

    task: Task
    job: Prepared
    outcome: Outcome
    started_at: str
    finished_at: str
    log: str
    history_reserved: bool
    lost: str | None
    redactor: Redactor

    @property
    def status(self) -> str:
        """Return completed, active, blocked or failed."""
        return self.outcome.status

    @property
    def exit_status(self) -> int:
        """Return the process exit status; a success that the history could not keep is 1."""
        if self.outcome.exit_status == 0 and self.lost is not None:
            return 1
        return self.outcome.exit_status

    def shown(self) -> dict[str, Any]:
        """Shape the result for `--format json`."""
        is_completed = self.status == "completed"
        return {
            "ok": is_completed and self.exit_status == 0,
            "result": self._result(),
            "exitCode": self.exit_status,
        }

    def _result(self) -> dict[str, Any]:
        notices = [self.redactor.scrub(notice) for notice in self.outcome.notices]
        if self.lost is not None:
            notices.append(f"This run is not in the history: {self.lost}")
        optional = {"detail": self.outcome.detail, "notices": notices}
        return {
            "id": self.task.id,
            "status": self.status,
            "startedAt": self.started_at,
            "finishedAt": self.finished_at,
            "durationMs": duration_ms(self.started_at, self.finished_at),
            "log": self.log,
            "target": self._target(),
            **{name: value for name, value in optional.items() if value},
            **({} if self.history_reserved else {"historyReserved": False}),
        }

    def _target(self) -> dict[str, Any]:
        if isinstance(self.job, Flow):
            return {"kind": self.job.kind, "ref": self.job.ref}
        return {"kind": self.job.kind, **({"engine": self.job.engine} if self.job.engine else {})}
