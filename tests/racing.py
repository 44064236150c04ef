"""Processes that call one service at the same moment on one file, kept alive for many races."""

from __future__ import annotations

import multiprocessing
import subprocess
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from akm.store.database import Database

Act = Callable[[Database, Any], Any]


class Racers:
    """A row of started processes; each race returns what every one of them got, or its error."""

    def __init__(self, count: int) -> None:
        spawn = multiprocessing.get_context("spawn")
        # Held here, because its semaphores vanish with their last handle and children open them by name.
        self._barrier = spawn.Barrier(count)
        pairs = [spawn.Pipe() for _ in range(count)]
        self._ends = [ours for ours, _theirs in pairs]
        self._processes = [
            spawn.Process(target=_serve, args=(theirs, self._barrier), daemon=True) for _ours, theirs in pairs
        ]

    def __enter__(self) -> Racers:
        for process in self._processes:
            process.start()
        return self

    def __exit__(self, *_error: object) -> None:
        for end in self._ends:
            end.send(None)
        for process in self._processes:
            process.join(10)
        for end in self._ends:
            end.close()

    def race(self, path: Path, act: Act, value: Any) -> list[Any]:
        """Let every process call `act(db, value)` at once; `act` is a function of an importable module."""
        for end in self._ends:
            end.send((path, act, value))
        return [end.recv() for end in self._ends]


def together(command: list[str], count: int) -> list[str]:
    """Run a command in `count` processes that go on at once when all are ready; returns what each complained.

    The command prints "ready" and waits for a line of its standard input.
    """
    pipe = subprocess.PIPE
    started = [
        subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) for _ in range(count)
    ]
    for process in started:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in started:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    return [process.communicate()[1] for process in started]


def _serve(orders: Connection, barrier: Any) -> None:
    from akm.store.opening import open_database

    while (order := orders.recv()) is not None:
        path, act, value = order
        with open_database(path, synchronous="normal") as db:
            barrier.wait(60)
            try:
                answer = act(db, value)
            except Exception as error:
                answer = f"{type(error).__name__} {getattr(error, 'code', '')}: {error}"
        orders.send(answer)
