"""Files beside a ledger that nobody needs any more, as findings. Nothing is removed here."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from akm import ids, states
from akm.engine import lock
from akm.engine.care import locks
from akm.store import pruning
from akm.store.database import Database
from akm.store.soundness import NOTE, WARNING, Finding, listed

IsAlive = Callable[[int, int | None], bool]
_DRAFT: Final = re.compile(r"\.(\d+)\.(partial|tmp)(-wal|-shm|-journal)?\Z")
_UNLESS: Final = "unless another ledger of this folder has it"


def of_runs(db: Database) -> Iterator[Finding]:
    """Look for locks and worktrees of runs that are gone or completed."""
    # It brings the whole driver along, which other ways to look at a ledger do without.
    from akm.engine.isolation import worktrees

    folder, trees = lock.folder(db.path), worktrees.folder(db.path)
    # The files first: a run is in the ledger before it has any.
    locked, grown = locks.known(folder), _run_folders(trees)
    with db.read() as tx:
        known = pruning.statuses(tx, locked | grown)
    idle = {run_id for run_id in locked if known.get(run_id) in (None, states.COMPLETED)}
    idle -= lock.driven(folder, idle)
    yield from listed(
        ("locks", WARNING, "{} locks are of runs that are gone or completed."),
        (str(lock.lock_path(folder, run_id)) for run_id in sorted(idle)),
        f"Remove the file, {_UNLESS}.",
    )
    yield from listed(
        ("worktrees", WARNING, "{} folders of worktrees are of runs that are gone."),
        (str(trees / run_id) for run_id in sorted(grown - known.keys())),
        f"Look for work in them with `akm workflow worktrees`, {_UNLESS}.",
    )


def of_acts(path: Path, is_alive: IsAlive) -> Iterator[Finding]:
    """Look for half-written files of processes that are gone, and for the copies that acts keep."""
    path = Path(os.path.realpath(path))
    partial = [*path.parent.glob(f".{path.name}.*"), *path.parent.glob(f"{path.name}.before-*")]
    drafts = [*partial, *lock.folder(path).glob("*.tmp")]
    yield from listed(
        ("drafts", WARNING, "{} files are half written, by processes that are gone."),
        (str(file) for file in sorted(drafts) if _is_dead(file, is_alive)),
        "Remove the file.",
    )
    yield from listed(
        ("copies", NOTE, "{} copies are kept of what an upgrade or a restore replaced."),
        (str(file) for file in sorted(partial) if ".before-" in file.name and not _DRAFT.search(file.name)),
        "Remove the file once it is of no use.",
    )


def _run_folders(folder: Path) -> set[str]:
    if not folder.is_dir():
        return set()
    return {
        one.name for one in folder.iterdir() if len(one.name) == len(ids.new()) and ids.is_prefix(one.name)
    }


def _is_dead(file: Path, is_alive: IsAlive) -> bool:
    pid = _DRAFT.search(file.name)
    return pid is not None and not is_alive(int(pid[1]), None)
