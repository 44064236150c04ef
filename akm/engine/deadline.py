"""The end of an invocation's time, turned into an abort."""

from __future__ import annotations

import threading

from akm.engine.abort import Abort


class Deadline:
    """Set an abort after some milliseconds, unless the block ends first."""

    def __init__(self, abort: Abort, timeout_ms: int | None) -> None:
        self._timer = None
        if timeout_ms is not None:
            self._timer = threading.Timer(timeout_ms / 1000, abort.set, ["timeout"])
            self._timer.daemon = True

    def __enter__(self) -> None:
        if self._timer is not None:
            self._timer.start()

    def __exit__(self, *_error: object) -> None:
        if self._timer is not None:
            self._timer.cancel()
            # It may be under way already, and then it must not outlive the abort.
            self._timer.join()
