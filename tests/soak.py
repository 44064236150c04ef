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

from kill_checks import Tally
from kills import Soak  # It lives beside the test that uses it too.


def main() -> int:
    """Run the soak; returns 1 when anything was lost, doubled or wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    chosen = parser.parse_args()
    print(f"seed {chosen.seed}")
    folder = Path(tempfile.mkdtemp(prefix="akm-soak-"))
    soak = Soak(chosen.seed, folder)
    deadline = time.monotonic() + chosen.minutes * 60
    while time.monotonic() < deadline and not soak.tally.faults:
        soak.one_run()
        if soak.tally.runs % 25 == 0:
            print(_line(soak.tally), flush=True)
    print(_line(soak.tally))
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
