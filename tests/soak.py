"""Kill real runs at random for some minutes, with the fault campaign and the fuzzers beside it: `make soak`.

What was lost or done twice, and whether any test beside it failed, decides the exit status.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "faults"))
sys.path.insert(0, str(Path(__file__).parent / "fuzz"))

from campaign import TOTAL
from effort import TOTAL as TRIED
from families import Family
from judged_files import DATA, RealFiles
from kill_checks import Tally
from kills import Soak  # They live beside the tests that use them too.

FAULTS, FUZZ = (Path(__file__).parent / name for name in ("faults", "fuzz"))
#: How many points of each kind of fault one pass of the campaign tries.
POINTS = 10
#: What the examples of one pass of the fuzzers are multiplied by: twice as many as in `make test`.
EXAMPLES = 6
#: What the soak does itself, all the time.
OWN = ("test_random_kills.py", "test_real_files_killed.py")
#: After so many runs of commands comes one with children, and one of a real file with its agent and judge.
COMMANDS_PER_OTHER = 3

#: Other kinds of runs that are killed, by what they are called in the sum.
Others = dict[str, Family | RealFiles]


class Campaign:
    """The tests of `tests/faults` and `tests/fuzz` in a process of their own, over and over."""

    def __init__(self, folder: Path) -> None:
        self.passes = 0
        self.injected = self.tried = 0
        self.failure: str | None = None
        self._log = folder / "campaign.log"
        self._process: subprocess.Popen[bytes] | None = None

    def go_on(self) -> None:
        """Start the next pass when none is under way."""
        if self._process is not None and self._process.poll() is None:
            return
        self.end()
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", str(FAULTS), str(FUZZ)]
        command += [f"--ignore={FAULTS / name}" for name in OWN]
        environment = os.environ | {"FAULT_POINTS": str(POINTS), "FUZZ_EXAMPLES": str(EXAMPLES)}
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, env=environment)

    def end(self) -> None:
        """Wait for the pass that is under way and count it."""
        if self._process is None:
            return
        status = self._process.wait()
        self._process = None
        said = self._log.read_text(errors="replace")
        self.passes += 1
        self.injected += _sum(TOTAL, said)
        self.tried += _sum(TRIED, said)
        if status:
            self.failure = said


def main() -> int:
    """Run the soak; returns 1 when anything was lost, doubled or wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    chosen = parser.parse_args()
    print(f"seed {chosen.seed}", flush=True)
    folder = Path(tempfile.mkdtemp(prefix="akm-soak-"))
    soak, campaign = Soak(chosen.seed, folder), Campaign(folder)
    moments = random.Random(chosen.seed)
    others: Others = {"runs with children": Family(moments, folder / "families")}
    if DATA.is_dir():
        others["real files with their judges"] = RealFiles(moments, folder / "real")
    try:
        _soak(soak, others, campaign, minutes=chosen.minutes)
    finally:
        campaign.end()
    print(_line(soak.tally, campaign))
    for name, other in others.items():
        print(f"{name}: kills {other.kills}  runs {other.runs}")
    return _verdict(soak.tally, campaign, folder)


def _soak(soak: Soak, others: Others, campaign: Campaign, *, minutes: float) -> None:
    deadline = time.monotonic() + minutes * 60
    while time.monotonic() < deadline and not soak.tally.faults and campaign.failure is None:
        campaign.go_on()
        soak.one_run()
        if soak.tally.runs % COMMANDS_PER_OTHER == 0:
            for other in others.values():
                other.one_run()
                soak.tally.faults += other.faults
        if soak.tally.runs % 25 == 0:
            print(_line(soak.tally, campaign), flush=True)


def _verdict(tally: Tally, campaign: Campaign, folder: Path) -> int:
    if not tally.faults and campaign.failure is None:
        shutil.rmtree(folder)
        return 0
    print("\n".join([*tally.faults, campaign.failure or "", f"The ledgers of the kills are in {folder}."]))
    return 1


def _sum(title: str, said: str) -> int:
    return sum(map(int, re.findall(rf"^{title} (\d+)", said, re.MULTILINE)))


def _line(tally: Tally, campaign: Campaign) -> str:
    return (
        f"kills {tally.kills}  runs {tally.runs}  units {tally.units}  "
        f"finished exactly once {tally.finished_once}  lost {tally.lost}  doubled {tally.doubled}  "
        f"{TOTAL} {campaign.injected}  {TRIED} {campaign.tried} in {campaign.passes} passes"
    )


if __name__ == "__main__":
    sys.exit(main())
