"""Migrates copies of a file in forked children, each of which is killed before another of its statements.

Run as a program: SOURCE TARGET DIRECTION EVERY, where EVERY is 1 for a child at each statement. Prints JSON:
for each child how it ended, whether the file was as before, how the second try ended, and whether the file
was then as after a migration that nobody disturbed.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import alembic.command  # noqa: F401
import sqlalchemy  # noqa: F401  (imported here, so that no child has to)
from builders import dump

from akm.store import connect as connecting
from akm.store import drift, schema

#: Statements that only look; being killed before one of them is being killed behind the one before it.
LOOKING = ("PRAGMA", "SELECT")
connect = connecting.connect


def act(path: Path, target: str, direction: str) -> None:
    if direction == "up":
        schema.upgrade(path, target)
    else:
        schema.downgrade(path, target, may_lose=True)


def watched(told: Callable[[str], None]) -> None:
    """Let `told` have every statement before it runs, and let pages reach the disk before the commit."""

    def opened(*arguments: Any, **options: Any) -> sqlite3.Connection:
        connection = connect(*arguments, **options)
        # The process dies and not the machine, so nothing has to reach the disk for good.
        connection.execute("PRAGMA synchronous=OFF")
        connection.execute("PRAGMA cache_size=1")
        connection.set_trace_callback(told)
        return connection

    connecting.connect = opened


def writes(path: Path, target: str, direction: str) -> list[str]:
    """Migrate a file and list the statements that write."""
    told: list[str] = []
    watched(told.append)
    act(path, target, direction)
    return [text for text in told if not text.startswith(LOOKING)]


def in_a_child(path: Path, target: str, direction: str, killed_at: int = 0) -> int:
    """Migrate a file in a process that dies before its statement `killed_at`; returns how it ended."""
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1]
    left = [killed_at]

    def count(text: str) -> None:
        left[0] -= not text.startswith(LOOKING)
        if left[0] == 0 and not text.startswith(LOOKING):
            os.kill(os.getpid(), signal.SIGKILL)

    watched(count)
    act(path, target, direction)
    os._exit(0)


def state(path: Path) -> object:
    """Read all of a file: what it is made of, every row, and whether it is sound."""
    with closing(sqlite3.connect(path)) as raw:
        checks = [
            raw.execute(f"PRAGMA {name}").fetchall() for name in ("integrity_check", "foreign_key_check")
        ]
        return drift.parts(raw), dump(raw), checks


def main(source: str, target: str, direction: str, every: str) -> None:
    file = Path(source)

    def copy(name: str) -> Path:
        return Path(shutil.copyfile(file, file.with_name(f"{name}.db")))

    before, whole = state(file), copy("whole")
    number = len(writes(whole, target, direction))
    after = state(whole)

    def killed(at: int) -> list[object]:
        path = copy(f"killed-{at}")
        ended = in_a_child(path, target, direction, at)
        left = state(path) == before
        return [ended, left, in_a_child(path, target, direction), state(path) == after]

    json.dump([killed(at) for at in range(number, 0, -int(every))], sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
