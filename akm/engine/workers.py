"""Threads that run units. They take dispatches from a queue, put outcomes on another, know no ledger."""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import NamedTuple

from akm.engine.abort import Abort
from akm.engine.runners.base import Dispatch, Outcome, Runner, failed
from akm.errors import TransientError

_LOOK_SECONDS = 0.5


class Ended(NamedTuple):
    """The outcome of one dispatch."""

    dispatch: Dispatch
    outcome: Outcome


class Workers:
    """Up to `width` threads, started as they are needed."""

    def __init__(self, width: int, runner: Runner) -> None:
        self._width = width
        self._runner = runner
        self._work: SimpleQueue[Dispatch | None] = SimpleQueue()
        self._ended: SimpleQueue[Ended] = SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._running = 0
        self._abort: Abort | None = None

    @property
    def running(self) -> int:
        """Return how many dispatches are under way."""
        return self._running

    @property
    def free(self) -> int:
        """Return how many more dispatches may start."""
        return self._width - self._running

    def start(self, dispatch: Dispatch) -> None:
        """Hand a dispatch to a thread. Raises TransientError when the system starts no more threads."""
        if len(self._threads) <= self._running:
            self._threads.append(_started(self._serve))
        self._running += 1
        self._abort = dispatch.abort
        self._work.put(dispatch)

    def wait(self) -> list[Ended]:
        """Wait for one outcome and return it with all that have arrived meanwhile."""
        arrived = [self._first()]
        while True:
            try:
                arrived.append(self._ended.get_nowait())
            except Empty:
                self._running -= len(arrived)
                return arrived

    def _first(self) -> Ended:
        while True:
            if self._abort is not None:
                self._abort.look()
            try:
                return self._ended.get(timeout=_LOOK_SECONDS)
            except Empty:
                # A signal that came just before the wait began is handled only when the wait is over.
                continue

    def close(self) -> None:
        """Let the threads end once their work is done."""
        for _thread in self._threads:
            self._work.put(None)

    def _serve(self) -> None:
        while (dispatch := self._work.get()) is not None:
            self._ended.put(Ended(dispatch, self._run(dispatch)))

    def _run(self, dispatch: Dispatch) -> Outcome:
        # A thread that ended here would be waited for without end.
        try:
            return self._runner(dispatch).redacted(dispatch.redaction)
        except BaseException as error:
            told = failed("dispatch_error", f"{type(error).__name__}: {error}")
            return told.redacted(dispatch.redaction)


class Inline:
    """Does the same on the caller's own thread, one dispatch at a time, for work that needs the ledger."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._waiting: list[Dispatch] = []

    @property
    def running(self) -> int:
        """Return how many dispatches are under way."""
        return len(self._waiting)

    @property
    def free(self) -> int:
        """Return how many more dispatches may start."""
        return 1 - self.running

    def start(self, dispatch: Dispatch) -> None:
        """Take a dispatch; it is done when somebody waits for it."""
        self._waiting.append(dispatch)

    def wait(self) -> list[Ended]:
        """Do what was started and return its outcome."""
        dispatch = self._waiting[0]
        try:
            outcome = self._runner(dispatch)
        finally:
            self._waiting.clear()
        return [Ended(dispatch, outcome.redacted(dispatch.redaction))]

    def close(self) -> None:
        """Do nothing: there are no threads."""


def _started(target: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=target, name="akm-unit", daemon=True)
    try:
        thread.start()
    except RuntimeError:
        raise TransientError(
            "The system starts no more threads for units.",
            code="HOST_EXHAUSTED",
            hint="Run fewer units at once with --max-concurrency, or raise the limit on processes.",
        ) from None
    return thread
