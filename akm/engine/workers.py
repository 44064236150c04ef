"""Threads that run units. They take dispatches from a queue, put outcomes on another, know no ledger."""

from __future__ import annotations

import threading
from queue import Empty, SimpleQueue
from typing import NamedTuple

from akm.engine.runners.base import Dispatch, Outcome, Runner


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

    @property
    def running(self) -> int:
        """Return how many dispatches are under way."""
        return self._running

    @property
    def free(self) -> int:
        """Return how many more dispatches may start."""
        return self._width - self._running

    def start(self, dispatch: Dispatch) -> None:
        """Hand a dispatch to a thread."""
        self._running += 1
        if len(self._threads) < self._running:
            thread = threading.Thread(target=self._serve, name="akm-unit", daemon=True)
            self._threads.append(thread)
            thread.start()
        self._work.put(dispatch)

    def wait(self) -> list[Ended]:
        """Wait for one outcome and return it with all that have arrived meanwhile."""
        arrived = [self._ended.get()]
        while True:
            try:
                arrived.append(self._ended.get_nowait())
            except Empty:
                self._running -= len(arrived)
                return arrived

    def close(self) -> None:
        """Let the threads end once their work is done."""
        for _thread in self._threads:
            self._work.put(None)

    def _serve(self) -> None:
        while (dispatch := self._work.get()) is not None:
            self._ended.put(Ended(dispatch, self._runner(dispatch)))
