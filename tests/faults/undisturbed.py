"""How long a run takes that nobody kills, so that kills fall into all of it and seldom after its end."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable

from command_lines import Done
from installed import ended


def drive(start: Callable[[], subprocess.Popen[str]]) -> tuple[Done, float]:
    """Let a driver end by itself; returns how it ended and the seconds it took, its start included."""
    started = time.monotonic()
    done = ended(start())
    if done.status:
        raise SystemExit(f"an undisturbed run ended with {done.status}: {done.out} {done.err}")
    return done, time.monotonic() - started


def seconds(start: Callable[[], subprocess.Popen[str]]) -> float:
    """Return how long a run takes that finds its ledger made, by the first of two."""
    drive(start)
    return drive(start)[1]
