"""A driver that kills itself at one point. Run as a program: DATABASE PROJECT TARGET POINT [NUMBER]."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

from akm.engine import driver, plans, workplace
from akm.engine.runners import choose
from akm.engine.runners.base import Dispatch, Outcome
from akm.store.opening import open_database
from akm.store.transaction import Block
from akm.workflow.plan import UnitNode

_commit = Block._commit


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)
    signal.pause()


def at_commit(number: int, *, after: bool) -> None:
    """Die before or after the commit of that number."""
    left = [number]

    def commit(block: Block) -> None:
        # Reads end in a commit too, and change nothing.
        is_write = block._connection.total_changes != seen[0]
        seen[0] = block._connection.total_changes
        left[0] -= is_write
        if is_write and left[0] == 0 and not after:
            die()
        _commit(block)
        if is_write and left[0] == 0:
            die()

    seen = [0]
    Block._commit = commit  # type: ignore[method-assign]


def in_lock() -> None:
    """Die while the lock is held and the plan is being read."""

    def read(*_arguments: Any, **_named: Any) -> Any:
        die()

    plans.read = read


def chosen(point: str) -> Callable[[UnitNode], Any]:
    """Choose runners that die before the process of the unit starts, or after it or the third has ended."""
    ended = count(1)

    def choice(node: UnitNode) -> Any:
        runner = choose.runner_for(node)
        assert runner is not None

        def run(dispatch: Dispatch) -> Outcome:
            if point == "before-dispatch":
                die()
            outcome = runner(dispatch)
            if point == "after-dispatch" or (point == "after-three" and next(ended) == 3):
                die()
            return outcome

        return run

    return choice


def main(database: str, project: str, target: str, point: str, number: str = "0") -> None:
    if point in ("before-commit", "after-commit"):
        at_commit(int(number), after=point == "after-commit")
    elif point == "in-lock":
        in_lock()
    with open_database(Path(database), synchronous="normal") as db:
        options = driver.Options(runner_for=chosen(point))
        driver.run(db, workplace.here(Path(project)), target, options=options)


if __name__ == "__main__":
    main(*sys.argv[1:])
