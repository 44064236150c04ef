"""The fault campaign: everything that can go wrong around the ledger, made to happen on purpose.

Every test here makes something fail and then asks the same three questions: did the command end in one
sentence with the right exit code, is the database whole, and does the next run go on with nothing lost and
nothing done twice?

    what fails                                             where
    a statement of a service, each in turn                 test_services_fail.py
    a service against itself in two processes              test_services_race.py
    the driver, killed at each crash window                test_driver_crashes.py, test_gate_crashes.py,
                                                           crash_driver.py, crashes.py; in worktrees:
                                                           ../engine/test_worktrees.py
    the driver, killed at any commit of any        test_any_crash.py, test_moved_ledgers.py, histories.py,
      feature's history                            history_driver.py, theatre.py, ledger_accounts.py
    the installed command, killed at random                test_random_kills.py, kills.py, kill_checks.py;
                                                           with judges: test_real_files_killed.py
    other acts, killed                                     ../acceptance/test_bundle_rename_kills.py,
                                                           ../acceptance/test_care.py,
                                                           ../migrations/test_failed_upgrade.py
    the disk: full, I/O error on write, fsync and          test_disk_faults.py, injector.c, injector.py
      ftruncate, short writes
    a file system that is full or read-only                test_file_systems.py
    a file that may not grow (RLIMIT_FSIZE)                ../store/test_unusable_files.py
    the write lock, held for longer than the limit         test_held_lock.py, ../store/test_contention.py
    the clock, stepped back and forwards                   test_clock_steps.py
    descriptors, used up                                   test_descriptors.py
    a process that is forked while the ledger is open      test_forks.py
    two versions of akm on one file                        test_two_versions.py, ../store/test_opening.py

`pytest tests/faults` runs all of it once. Where there are too many points to try each (every write of a
run), FAULT_POINTS of them are drawn at random, new ones in every run; the seed is in the first line of
pytest's output. `make soak MINUTES=n` repeats the whole with many more points, beside kills that never stop.

What must hold whatever is asked for or written, without anything failing, stands in `tests/fuzz`.

A test that lets something fail counts it with `inject`; the sum is the last line of the run.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from itertools import pairwise

#: How many of the possible points of each kind of fault one run of the tests tries.
POINTS = int(os.environ.get("FAULT_POINTS", "3"))
#: What begins the line with the sum, for whoever reads it from a pipe.
TOTAL = "faults injected"

_injected: Counter[str] = Counter()


def inject(kind: str, times: int = 1) -> None:
    """Count faults that were made to happen."""
    _injected[kind] += times


def summary() -> str:
    """Say how many faults were made to happen in this process, by kind; empty when there were none."""
    if not _injected:
        return ""
    kinds = ", ".join(f"{kind} {times}" for kind, times in sorted(_injected.items()))
    return f"{TOTAL} {_injected.total()} ({kinds})"


def draw(count: int) -> list[int]:
    """Draw `POINTS` of the calls 1 to `count`, one from each part of equal length, in order."""
    parts = min(POINTS, count)
    bounds = [part * count // parts for part in range(parts + 1)]
    return [random.randint(first + 1, last) for first, last in pairwise(bounds)]
