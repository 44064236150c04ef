"""Children, a map and a route come to one result, whenever their driver is killed."""

from __future__ import annotations

import random
from pathlib import Path

from families import kill_family

KILLS = 20


def test_a_family_killed_at_random_moments_ends_as_if_undisturbed(tmp_path: Path) -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}")  # noqa: T201  Shown with a failure, to have the same moments again.
    family = kill_family(seed, tmp_path, KILLS)
    assert family.faults == []
    refs = [head[0][0] for head, _steps, _attempts in family.expected]
    assert refs == [f"project//workflows/{name}" for name in ("root", "middle", "leaf")]
    attempts = [one for _head, _steps, attempts in family.expected for one in attempts]
    assert {(number, status) for _unit, number, status, _result in attempts} == {(1, "completed")}
    assert family.place.rows("PRAGMA integrity_check") == [("ok",)]
    assert family.place.rows("PRAGMA foreign_key_check") == []
