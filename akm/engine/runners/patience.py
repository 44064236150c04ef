"""The stages of a child's end, and how long each may last."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


@dataclass(frozen=True, slots=True)
class Patience:
    """Milliseconds that each stage may last, and between two looks where nothing announces itself."""

    drain_ms: int = 2000
    terminate_ms: int = 5000
    kill_ms: int = 900
    look_ms: int = 30


class Stage(IntEnum):
    """Where a child is on its way out.

    DRAINING: it has ended by itself and its pipes have not. TERMINATING, KILLING: its group was sent SIGTERM,
    SIGKILL.
    """

    RUNNING = 0
    DRAINING = 1
    TERMINATING = 2
    KILLING = 3
    OVER = 4
