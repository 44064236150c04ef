"""The judged files of real people run to their end, and killing them at random on the way changes nothing."""

from __future__ import annotations

import random
from pathlib import Path

import judged_files
import pytest
from judged_files import RealFiles

KILLS = 20


@pytest.mark.skipif(not judged_files.DATA.is_dir(), reason="the users' files are not beside the repository")
def test_judged_files_killed_at_random_moments_end_as_if_undisturbed(tmp_path: Path) -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}")  # noqa: T201  Shown with a failure, to have the same moments again.
    real = RealFiles(random.Random(seed), tmp_path)
    while real.kills < KILLS or real.runs < len(real.files):
        real.one_run()
    assert real.faults == []
    attempts = [one for account in real.expected.values() for one in account["attempts"]]
    assert {(number, status) for _unit, number, status, _result in attempts} == {(1, "completed")}
    assert sum('"complete":false' in str(result) for *_rest, result in attempts) == 5
    assert real.place.rows("PRAGMA integrity_check") == [("ok",)]
    assert real.place.rows("PRAGMA foreign_key_check") == []
