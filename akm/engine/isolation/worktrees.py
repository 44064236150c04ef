"""A worktree per attempt: where it will be, the unit inside it, and what becomes of it afterwards."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from akm import states
from akm.engine.drive import Drive
from akm.engine.isolation import repositories, worktree
from akm.engine.isolation.git import GitFault
from akm.engine.isolation.repositories import Repository
from akm.engine.runners.base import Dispatch, Outcome, Runner, failed
from akm.engine.runners.choose import guard
from akm.errors import UsageError
from akm.views import units
from akm.workflow.plan import PlanStep, UnitNode
from akm.workflow.reduce import Reduced

_NAME_BYTES = 6
_MOST_LISTED = 20


def folder(database: Path) -> Path:
    """Return the folder of all worktrees of a database's runs: beside it, with a folder per run."""
    return Path(os.path.realpath(database)).parent / "worktrees"


@dataclass(frozen=True, slots=True)
class Worktrees:
    """Where the units of one step get their worktrees: below `scratch`, in a folder of the run."""

    repository: Repository
    commit: str
    scratch: Path
    run_id: str

    def new_path(self) -> str:
        """Choose the path of an attempt that is about to be reserved; nothing is made yet."""
        return str(self.scratch / self.run_id / os.urandom(_NAME_BYTES).hex())

    def around(self, runner: Runner) -> Runner:
        """Return a runner that makes the reserved worktree, lets `runner` work in it, and clears up."""
        return partial(self._run, runner)

    def _run(self, runner: Runner, dispatch: Dispatch) -> Outcome:
        label, path = f'unit "{dispatch.item.unit_id}"', dispatch.worktree
        if path is None:
            return failed("spawn_failed", f"{label} was not started: no worktree was reserved for it.")
        if not self._is_ours(path):
            why = f"{label} was not started: the reserved {path} is no worktree of this run; run it again."
            return failed("spawn_failed", why)
        try:
            worktree.make(self.repository, self.commit, path, self.scratch, dispatch.abort)
        except (GitFault, OSError) as error:
            reason = "aborted" if dispatch.abort.is_set else "spawn_failed"
            why = f"{label} was not started: its worktree {path} could not be made: {_words(error)}."
            return replace(failed(reason, why), worktree=path if os.path.lexists(path) else None)
        return self._cleared(label, path, self._inside(runner, dispatch, label, path))

    def _is_ours(self, path: str) -> bool:
        # A run that was imported or adopted brings paths along, and what is made here is removed again.
        folder, name = os.path.split(path)
        return folder == str(self.scratch / self.run_id) and name not in ("", os.curdir, os.pardir)

    def _inside(self, runner: Runner, dispatch: Dispatch, label: str, path: str) -> Outcome:
        base = os.path.realpath(os.path.join(path, self.repository.prefix))
        if base != path and not base.startswith(f"{path}/"):
            where = (
                f"{self.repository.prefix} of commit {self.commit[:12]} leads out of the worktree, to {base}"
            )
            return failed("exec_cwd_escape", f"{label} was not started: {where}.")
        return guard(runner, replace(dispatch, base=base))

    def _cleared(self, label: str, path: str, outcome: Outcome) -> Outcome:
        """Remove a worktree without work in it; keep any other, and say so."""
        try:
            if not os.path.lexists(path) or not worktree.is_dirty(path, self.commit):
                worktree.discard(self.repository.common, path)
                return replace(outcome, worktree=None)
            why = "holds work"
        except (GitFault, OSError) as error:
            why = f"could not be checked or removed ({_words(error)})"
        warning = f"The worktree of {label} {why} and was kept: {path}"
        return replace(outcome, worktree=path, warnings=(*outcome.warnings, warning))

    def close(self) -> None:
        """Remove the folder of the run unless something was kept in it."""
        with suppress(OSError):
            (self.scratch / self.run_id).rmdir()


def of_step(drive: Drive, step: PlanStep) -> Worktrees | None:
    """Look up where the units of a step get their worktrees; None when they ask for none.

    Raises UsageError when none can be made: no repository, a bare one, one without a commit, another one.
    """
    node = step.unit
    if node is None or node.isolation != "worktree":
        return None
    try:
        repository = repositories.of(_base(node))
        if node.commit is None:
            repositories.head(repository.base)
            raise GitFault(
                f"{repository.base} had no commit to work from when this run was created; start a new run"
            )
        repositories.check(repository, node.commit)
    except GitFault as fault:
        raise UsageError(f"its units ask for worktrees, and {fault.reason}.") from None
    ledger = drive.ledger
    return Worktrees(repository, node.commit, folder(ledger.db.path), ledger.run_id)


def named(drive: Drive, step: PlanStep, reduced: Reduced) -> Reduced:
    """Name the worktrees that a step's units left behind in its summary, from the journal alone."""
    if step.unit is None or step.unit.isolation != "worktree":
        return reduced
    kept = [
        f"{row.worktree_path} ({row.unit_id})"
        for row in units.worktrees(drive.ledger.db, drive.ledger.run_id)
        if row.step_id == step.step_id and row.status != states.RUNNING
    ]
    if not kept:
        return reduced
    more = f" and {len(kept) - _MOST_LISTED} more" if len(kept) > _MOST_LISTED else ""
    listed = ", ".join(kept[:_MOST_LISTED])
    return replace(reduced, summary=f"{reduced.summary} Worktrees kept with work in them: {listed}{more}.")


def _base(node: UnitNode) -> str:
    identity = getattr(node.target, "cwd_identity", None)
    if identity is None:
        raise GitFault("the plan names no base directory; start a new run")
    return str(identity.real_root)


def _words(error: GitFault | OSError) -> str:
    return error.reason if isinstance(error, GitFault) else error.strerror or type(error).__name__
