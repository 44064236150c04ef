"""One change of the schedule at a time: a kernel lock that is free again when its process ends."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from akm import paths
from akm.errors import ConfigError, TransientError


@contextmanager
def held() -> Iterator[None]:
    """Hold the lock of the schedule for the block, without waiting for it.

    Raises TransientError `SCHEDULER_LOCK_HELD` when another process has it.
    """
    from filelock import FileLock, Timeout

    file = paths.create(paths.state_dir() / "locks") / "scheduler.lock"
    lock = FileLock(file, timeout=0, mode=0o600)
    try:
        lock.acquire()
    except Timeout:
        raise TransientError(
            f"Another process is changing the schedule (it holds {file}).",
            code="SCHEDULER_LOCK_HELD",
            hint="Run the same command again when it has ended.",
        ) from None
    except OSError as error:
        raise ConfigError(f"The lock {file} cannot be taken: {error.strerror}.") from error
    try:
        yield
    finally:
        lock.release()
