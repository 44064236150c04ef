"""One driver per run: a kernel lock on a file, with a description of its holder beside it.

The kernel frees the lock when its process dies, however it dies. So nothing expires by age, and a reused
process id is never taken for a holder. Readers look at the lock and never take it.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from akm import private_files
from akm.engine.processes import process_started_at
from akm.errors import ConfigError, TransientError

#: How long the lock of a killed holder may outlive it.
LINGER_SECONDS = 2.0


class RunLock:
    """The right to drive one run, from `acquire()` to `release()` or the end of the process."""

    def __init__(self, folder: Path, run_id: str) -> None:
        self._path = lock_path(folder, run_id)
        self._run_id = run_id
        self._lock: Any = None

    @property
    def path(self) -> Path:
        """Return the lock's file."""
        return self._path

    def acquire(self, *, at: str, wait_seconds: float = 0) -> None:
        """Take the lock, waiting for its holder up to `wait_seconds`, and a moment for one that was killed.

        Raises TransientError RUN_LEASE_HELD naming the holder, ConfigError when the folder is unusable.
        """
        from filelock import FileLock, Timeout

        lock = FileLock(self._path, timeout=0, thread_local=False, mode=private_files.FILE)
        try:
            private_files.make_folder(self._path.parent)
            _outlast(lock, self._path, wait_seconds)
        except Timeout:
            raise TransientError(
                f"Run {self._run_id} is being driven by {describe(self._path)}.", code="RUN_LEASE_HELD"
            ) from None
        except OSError as error:
            raise ConfigError(
                f"The lock {self._path} cannot be taken ({error.strerror}); make its folder writable.",
                code="DATA_DIR_UNREADABLE",
            ) from None
        self._lock = lock
        try:
            _write_holder(self._path, at)
        except OSError:
            # The kernel holds the lock, and the description only words an error of somebody else: better
            # none (a full disk) than the one that the last holder left.
            _forget(holder_path(self._path))

    def release(self, *, is_over: bool = False) -> None:
        """Give the lock back. `is_over`: the run is completed, so its lock file has no further use."""
        if self._lock is None:
            return
        _forget(holder_path(self._path))
        if is_over:
            # Unlinked while held. Whoever holds the old inode finds a completed run and does nothing.
            _forget(self._path)
        self._lock.release()
        self._lock = None


def folder(database: Path) -> Path:
    """Return the folder of the locks of a database's runs: beside it, so that all who share it share them."""
    return Path(os.path.realpath(database)).parent / "workflow-run-locks"


def lock_path(folder: Path, run_id: str) -> Path:
    """Return the lock file of a run."""
    return folder / f"{run_id}.lock"


def holder_path(lock: Path) -> Path:
    """Return the file that describes the holder of `lock`."""
    return lock.with_suffix(".json")


def discard(folder: Path, run_id: str) -> None:
    """Remove the lock file of a completed run: whoever still takes the lock finds nothing to do."""
    _forget(lock_path(folder, run_id))


def driven(folder: Path, run_ids: Iterable[str]) -> set[str]:
    """Tell which of the runs a living process drives, without touching their locks."""
    held = _kernel_locks()
    return {run_id for run_id in run_ids if _is_among(held, lock_path(folder, run_id))}


def is_locked(path: Path) -> bool:
    """Tell whether a living process holds the lock on a file, without touching it."""
    return _is_among(_kernel_locks(), path)


def _is_among(held: set[int] | None, path: Path) -> bool:
    try:
        inode = os.stat(path).st_ino
    except OSError:
        return False
    return _is_held(path) if held is None else inode in held


def _kernel_locks() -> set[int] | None:
    """Read the inodes under whole-file locks; None where the system has no such list."""
    try:
        lines = Path("/proc/locks").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    words = (line.split() for line in lines)
    return {int(word[5].rsplit(":", 1)[1]) for word in words if len(word) > 5 and word[1] == "FLOCK"}


def _is_held(path: Path) -> bool:
    # Without a list of locks the only question the kernel answers is a shared lock, held for a moment.
    import fcntl

    try:
        with open(path, "rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    return False


def holder(path: Path) -> dict[str, Any]:
    """Read the description of a lock's holder; empty when there is none."""
    try:
        found = json.loads(holder_path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def describe(path: Path) -> str:
    """Name the holder of a lock, for an error message."""
    found = holder(path)
    try:
        return f"process {found['pid']} on {found['host']} since {found['startedAt']}"
    except KeyError:
        return "another process"


def _outlast(lock: Any, path: Path, wait_seconds: float) -> None:
    """Take `lock`, which a child that its killed parent was just starting holds until it is started.

    Raises Timeout when a living process still holds it after `wait_seconds`.
    """
    from filelock import Timeout

    started = time.monotonic()
    while not _took(lock):
        waited = time.monotonic() - started
        if waited > max(wait_seconds, LINGER_SECONDS if _is_holder_gone(path) else 0):
            raise Timeout(str(path))
        time.sleep(0.01 if waited < LINGER_SECONDS else 0.2)


def _took(lock: Any) -> bool:
    from filelock import Timeout

    try:
        lock.acquire()
    except Timeout:
        return False
    return True


def _is_holder_gone(path: Path) -> bool:
    """Tell whether the described holder is a process of this machine that has ended."""
    found = holder(path)
    started_at = found.get("processStartedAt")
    if found.get("host") != os.uname().nodename or started_at is None:
        return False
    return bool(process_started_at(found.get("pid", 0)) != started_at)


def _forget(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError:
        return  # Left behind in a folder that became unwritable, where it means nothing without the lock.


def _write_holder(path: Path, at: str) -> None:
    holder = {
        "pid": os.getpid(),
        "host": os.uname().nodename,
        "startedAt": at,
        "processStartedAt": process_started_at(os.getpid()),
        "launcherPid": os.environ.get("AKM_LAUNCHER_PID"),
    }
    private_files.write(holder_path(path), json.dumps(holder).encode())
