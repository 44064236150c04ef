"""Killing the driver with SIGKILL at any moment repeats nothing that had finished; `make soak` for longer."""

from __future__ import annotations

import random
from pathlib import Path

import campaign
from kills import Soak

KILLS = 20


def test_nothing_is_lost_or_doubled_by_killing_the_driver_at_random_moments(tmp_path: Path) -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}")  # noqa: T201  Shown with a failure, to have the same moments again.
    soak = Soak(seed, tmp_path)
    while soak.tally.kills < KILLS:
        soak.one_run()
    tally = soak.tally
    campaign.inject("kill", tally.kills)
    assert tally.faults == []
    assert tally.finished_once == tally.units > 0
