"""The worktrees that are on the disk: whose they are, whether they hold work, and removing what is left."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from akm import clock, states
from akm.engine import lock
from akm.engine.isolation import git, worktree, worktrees
from akm.engine.isolation.git import GitFault
from akm.engine.lock import RunLock
from akm.errors import NotFoundError, TransientError
from akm.store.database import Database
from akm.store.sql import Worktree
from akm.views import runs, units
from akm.workflow.plan_text import plan_json


@dataclass(slots=True)
class Found:
    """A worktree on the disk. `row` None: no attempt of the ledger has it (any more).

    `state` is `running`, `kept`, or `left over`, by whoever was killed. `is_dirty` None: it cannot be said.
    `problem` says why it could not be removed.
    """

    run_id: str
    path: str
    state: str
    started_at: str
    row: Worktree | None
    is_dirty: bool | None
    problem: str | None = None

    def shown(self) -> dict[str, Any]:
        """Shape this for `akm workflow worktrees`."""
        return {
            "runId": self.run_id,
            "unitId": self.row.unit_id if self.row else None,
            "attempt": self.row.attempt if self.row else None,
            "path": self.path,
            "state": self.state,
            "dirty": self.is_dirty,
            "startedAt": self.started_at,
        } | ({"problem": self.problem} if self.problem else {})


def listing(db: Database) -> list[dict[str, Any]]:
    """List the worktrees of this ledger's runs with the bytes that they take, oldest run first."""
    scratch = worktrees.folder(db.path)
    driven = lock.driven(lock.folder(db.path), _run_ids(scratch))
    found = (one for run_id in _run_ids(scratch) for one in _of_run(db, scratch, run_id, run_id in driven))
    shown = [one.shown() | {"sizeBytes": _size(one.path)} for one in found]
    return sorted(shown, key=lambda one: (one["startedAt"], one["path"]))


def prune(db: Database, *, force: bool, at: str) -> dict[str, Any]:
    """Remove the worktrees without work in them whose run nobody drives; with `force` those with work too.

    Each run's lock is held meanwhile, so that no driver takes up what is being removed. Returns {removed,
    left, forgotten}: what is still there, and how many worktrees git remembered that were gone already.
    """
    scratch = worktrees.folder(db.path)
    removed: list[dict[str, Any]] = []
    left: list[dict[str, Any]] = []
    for run_id in _run_ids(scratch):
        held = RunLock(lock.folder(db.path), run_id)
        try:
            held.acquire(at=at)
        except TransientError:
            left += [one.shown() for one in _of_run(db, scratch, run_id, is_driven=True)]
            continue
        try:
            for one in _of_run(db, scratch, run_id, is_driven=False):
                (removed if _remove(one, force) else left).append(one.shown())
            _remove_empty(scratch / run_id)
        finally:
            held.release(is_over=_is_over(db, run_id))
    return {"removed": removed, "left": left, "forgotten": _forget(db, scratch)}


def _run_ids(scratch: Path) -> list[str]:
    if not scratch.is_dir():
        return []
    return sorted(one.name for one in os.scandir(scratch) if one.is_dir(follow_symlinks=False))


def _of_run(db: Database, scratch: Path, run_id: str, is_driven: bool) -> Iterator[Found]:
    rows = {row.worktree_path: row for row in units.worktrees(db, run_id)}
    commits: dict[str, str] | None = None
    for entry in sorted(os.scandir(scratch / run_id), key=lambda one: one.name):
        if not entry.is_dir(follow_symlinks=False):
            continue
        row = rows.get(entry.path)
        commits = _commits(db, run_id) if commits is None else commits
        is_open = row is None or row.status == states.RUNNING
        state = ("running" if is_driven else "left over") if is_open else "kept"
        started_at = row.started_at if row and row.started_at else clock.stamp(entry.stat().st_mtime)
        is_dirty = _is_dirty(entry.path, commits.get(row.step_id) if row else None)
        yield Found(run_id, entry.path, state, started_at, row, is_dirty)


def _commits(db: Database, run_id: str) -> dict[str, str]:
    """Read from a run's plan what the worktrees of its steps were made of."""
    stored = runs.plan(db, run_id)
    try:
        plan = plan_json.decode((stored.plan_json if stored else None) or "")
    except plan_json.PlanUndecodable:
        return {}
    return {step.step_id: step.unit.commit for step in plan.steps if step.unit and step.unit.commit}


def _is_dirty(path: str, commit: str | None) -> bool | None:
    if commit is None:
        return None
    try:
        return worktree.is_dirty(path, commit)
    except GitFault:
        return None


def _remove(one: Found, force: bool) -> bool:
    """Remove a worktree unless it may hold work; tells whether it is gone."""
    if one.is_dirty is not False and not force:
        return False
    try:
        common = worktree.common_of(one.path)
    except GitFault:
        # Its repository is gone; git has nothing to say about what is only a folder now.
        common = one.path
    try:
        worktree.discard(common, one.path)
    except OSError as error:
        one.problem = f"cannot be removed: {error.strerror}"
    return one.problem is None


def _remove_empty(folder: Path) -> None:
    if not any(folder.iterdir()):
        folder.rmdir()


def _is_over(db: Database, run_id: str) -> bool:
    try:
        return runs.head(db, run_id).status == states.COMPLETED
    except NotFoundError:
        return True


def _forget(db: Database, scratch: Path) -> int:
    """Make git forget worktrees of ours whose folder is gone, and nobody else's; tells how many."""
    forgotten = 0
    for common in worktree.repositories(scratch):
        # Nothing is being made meanwhile: a driver that starts now waits with its first worktree.
        with worktree.turn(common, scratch):
            gone = _gone(common, scratch)
            driven = lock.driven(lock.folder(db.path), gone.values())
            for path in (path for path, run_id in gone.items() if run_id not in driven):
                worktree.discard(common, path)
                forgotten += 1
    return forgotten


def _gone(common: str, scratch: Path) -> dict[str, str]:
    """Map the paths of our worktrees that git remembers, and that are gone, to their runs."""
    try:
        told = git.ask(common, "worktree", "list", "--porcelain")
    except GitFault:
        return {}
    paths = [line.removeprefix("worktree ") for line in told.splitlines() if line.startswith("worktree ")]
    ours = [path for path in paths if path.startswith(f"{scratch}/") and not os.path.lexists(path)]
    return {path: os.path.basename(os.path.dirname(path)) for path in ours}


def _size(path: str) -> int:
    """Add up the bytes of the files below a folder."""
    total = 0
    for folder, _names, files in os.walk(path):
        for name in files:
            try:
                total += os.lstat(os.path.join(folder, name)).st_size
            except OSError:
                continue
    return total
