"""How much is measured: enough to tell, or just enough to see that measuring works."""

from __future__ import annotations

from typing import NamedTuple


class Size(NamedTuple):
    """Numbers of things to measure with."""

    repetitions: int
    dispatches: int
    attempts: int
    runs: int
    units: int
    starts: int
    flood_bytes: int


FULL = Size(
    repetitions=7,
    dispatches=500,
    attempts=1_000_000,
    runs=10_000,
    units=1_000,
    starts=15,
    flood_bytes=2 * 1024**3,
)
QUICK = Size(repetitions=1, dispatches=20, attempts=2_000, runs=200, units=8, starts=1, flood_bytes=1024**2)
