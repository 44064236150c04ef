"""The locks of all runs of a ledger, which lie in one folder: `akm.engine.lock` is about a single one."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from akm.engine import lock
from akm.errors import TransientError

# A lock's holder's description, a request to stop, and at last the lock itself.
_ENDINGS = (".json", ".cancel", ".lock")


def known(folder: Path) -> set[str]:
    """Name every run that has a lock file, held or not."""
    return {file.stem for file in folder.glob("*.lock")} if folder.is_dir() else set()


def driven(folder: Path) -> set[str]:
    """Name every run that a living process drives, by the locks alone."""
    return lock.driven(folder, known(folder))


def refuse_drivers(folder: Path, so: str) -> None:
    """Raise TransientError RUN_LEASE_HELD while any run is driven; `so` says what was therefore not done."""
    held = sorted(driven(folder))
    if held:
        holder = lock.describe(lock.lock_path(folder, held[0]))
        raise TransientError(f"Run {held[0]} is being driven by {holder}, so {so}.", code="RUN_LEASE_HELD")


def discard(folder: Path, run_ids: Iterable[str]) -> None:
    """Remove the files of runs that have been deleted; whoever still gets such a lock finds no run."""
    for run_id in run_ids:
        for ending in _ENDINGS:
            # Left behind in a folder that became unwritable, where they mean nothing.
            with suppress(OSError):
                lock.lock_path(folder, run_id).with_suffix(ending).unlink(missing_ok=True)
