"""Kill real runs at random moments for some minutes and count what was lost or done twice: `make soak`."""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "acceptance"))

from judged_files import DATA, RealFiles
from kill_checks import Tally
from kills import Soak  # They live beside the tests that use them too.

#: After so many runs of commands comes one of a real file with its agent and its judge.
COMMANDS_PER_FILE = 5


def main() -> int:
    """Run the soak; returns 1 when anything was lost, doubled or wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    chosen = parser.parse_args()
    print(f"seed {chosen.seed}")
    folder = Path(tempfile.mkdtemp(prefix="akm-soak-"))
    soak = Soak(chosen.seed, folder)
    real = RealFiles(random.Random(chosen.seed), folder / "real") if DATA.is_dir() else None
    deadline = time.monotonic() + chosen.minutes * 60
    while time.monotonic() < deadline and not soak.tally.faults:
        soak.one_run()
        if real is not None and soak.tally.runs % COMMANDS_PER_FILE == 0:
            real.one_run()
            soak.tally.faults += real.faults
        if soak.tally.runs % 25 == 0:
            print(_line(soak.tally), flush=True)
    print(_line(soak.tally))
    if real is not None:
        print(f"real files with their judges: kills {real.kills}  runs {real.runs}")
    if not soak.tally.faults:
        shutil.rmtree(folder)
        return 0
    print("\n".join([*soak.tally.faults, f"The ledger is in {folder}."]))
    return 1


def _line(tally: Tally) -> str:
    return (
        f"kills {tally.kills}  runs {tally.runs}  units {tally.units}  "
        f"finished exactly once {tally.finished_once}  lost {tally.lost}  doubled {tally.doubled}"
    )


if __name__ == "__main__":
    sys.exit(main())
