"""Writing the history of tasks: an attempt is reserved before it is dispatched and finished once after it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from akm import states
from akm.store import task_history
from akm.store.database import Database

#: What a fire that never happened is kept as.
MISSED: Final = "missed"
ENDINGS: Final = (states.COMPLETED, states.BLOCKED, states.FAILED, states.ACTIVE, MISSED)
# Of the metadata itself, and of the words for kinds of targets.
VERSION: Final = 2


class Holder(NamedTuple):
    """The process that runs an attempt. `process_started_at` tells it from a later one of its id."""

    pid: int
    host: str
    process_started_at: int | None


class Ended(NamedTuple):
    """How an attempt ended.

    `bundle` tells tasks of one id apart: the name of the task's bundle, or a project's folder. `status`
    active is a workflow that can be gone on with. `detail` may hold runId, reason, error and exitCode.
    `engine` counts only with `has_engine`: then None says that the command had none.
    """

    status: str
    completed_at: str
    duration_ms: int
    log_path: str | None = None
    target_kind: str | None = None
    target_ref: str | None = None
    detail: Mapping[str, Any] | None = None
    engine: str | None = None
    has_engine: bool = False
    bundle: str | None = None


def reserve(db: Database, task_id: str, *, at: str, holder: Holder, bundle: str | None = None) -> str:
    """Open a row for an attempt that starts now and return its start, which identifies it.

    That is `at`, or the first millisecond after it that no other attempt of a task of that id has. `bundle`
    is as in `Ended`.
    """
    described = {
        "pid": holder.pid,
        "host": holder.host,
        "processStartedAt": holder.process_started_at,
    }
    metadata_json = _metadata(0, None, holder=described)
    with db.immediate() as tx:
        return task_history.reserve(tx, task_id, at, metadata_json, bundle)


def finalize(db: Database, task_id: str, started_at: str, ended: Ended) -> bool:
    """End an open attempt; False when no such row is open, and then nothing was written."""
    ending = _ending(started_at, ended)
    with db.immediate() as tx:
        return task_history.finalize(tx, task_id, started_at, ending)


def record(db: Database, task_id: str, started_at: str, ended: Ended) -> bool:
    """Write an attempt that could not be reserved; False when its row exists, which is left as it is."""
    ending = _ending(started_at, ended)
    with db.immediate() as tx:
        return task_history.record(tx, task_id, started_at, ending, ended.bundle)


def prune(db: Database, *, older_than: str) -> int:
    """Delete the attempts that started before a timestamp and return how many; open ones stay."""
    with db.immediate() as tx:
        return task_history.prune(tx, older_than)


def _ending(started_at: str, ended: Ended) -> task_history.Ending:
    if ended.status not in ENDINGS:
        raise ValueError(f"an attempt ends as one of {', '.join(ENDINGS)}")
    # A clock that was set back must not let an attempt end before it began.
    completed_at = max(ended.completed_at, started_at)
    engine = {"engine": ended.engine} if ended.has_engine else {}
    return task_history.Ending(
        status=ended.status,
        completed_at=completed_at,
        failed_at=completed_at if ended.status == states.FAILED else None,
        log_path=ended.log_path or None,
        target_kind=ended.target_kind,
        target_ref=ended.target_ref,
        metadata_json=_metadata(max(ended.duration_ms, 0), ended.detail, **engine),
    )


def _metadata(duration_ms: int, detail: Mapping[str, Any] | None, **more: Any) -> str:
    known: dict[str, Any] = {
        "metadataVersion": VERSION,
        "durationMs": duration_ms,
        "detail": None if detail is None else dict(detail),
        "targetVocab": VERSION,
    }
    return json.dumps(known | more, ensure_ascii=False, separators=(",", ":"))
