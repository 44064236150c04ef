"""What one process at a time may do: change the schedule, and serve it.

The locks are the kernel's, free again when their process ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from akm import paths, private_files
from akm.engine import lock as locks
from akm.errors import ConfigError, TransientError


def held() -> AbstractContextManager[None]:
    """Hold the lock of the schedule for the block, without waiting for it.

    Raises TransientError `SCHEDULER_LOCK_HELD` when another process has it.
    """
    return _taken(
        _file("scheduler"),
        "Another process is changing the schedule",
        hint="Run the same command again when it has ended.",
    )


def serving() -> AbstractContextManager[None]:
    """Hold the right to serve for the block.

    Raises TransientError `SCHEDULER_LOCK_HELD` when another process serves.
    """
    return _taken(_file("task-serve"), "Another `akm task serve` is running", hint="Stop that one first.")


def is_served() -> bool:
    """Tell whether a server is running, without getting in the way of one that starts."""
    return locks.is_locked(_file("task-serve"))


def _file(name: str) -> Path:
    return paths.state_dir() / "locks" / f"{name}.lock"


@contextmanager
def _taken(file: Path, who: str, *, hint: str) -> Iterator[None]:
    from filelock import FileLock, Timeout

    paths.create(file.parent)
    lock = FileLock(file, timeout=0, mode=private_files.FILE)
    try:
        lock.acquire()
    except Timeout:
        raise TransientError(f"{who} (it holds {file}).", code="SCHEDULER_LOCK_HELD", hint=hint) from None
    except OSError as error:
        raise ConfigError(f"The lock {file} cannot be taken: {error.strerror}.") from error
    try:
        yield
    finally:
        lock.release()
