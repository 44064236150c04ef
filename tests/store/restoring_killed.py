"""A restore that kills itself before one of its operations. Run as a program: LEDGER BACKUP NUMBER."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from akm.store import restore

OPERATIONS = ("link", "rename", "replace", "unlink", "fsync", "close")


def counted(operation: Callable[..., Any], left: list[int]) -> Callable[..., Any]:
    def act(*arguments: Any, **named: Any) -> Any:
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
            signal.pause()
        return operation(*arguments, **named)

    return act


def main(ledger: str, backup: str, number: str) -> None:
    left = [int(number)]
    for name in OPERATIONS:
        setattr(os, name, counted(getattr(os, name), left))
    restore.put_back(Path(ledger), Path(backup), at="2026-01-01T00:00:00.000Z")


if __name__ == "__main__":
    main(*sys.argv[1:])
