"""Many `akm` processes at once: on one ledger, at one ref, and at one run."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager

from installed import Done, Place, ended, until

COUNT = 8
MAPPED = """---
type: workflow
steps:
  - id: list
    unit:
      exec: { command: [echo, "[1, 2, 3, 4, 5]"] }
      output: { type: array, items: { type: integer } }
  - id: work
    map: { over: steps.list.output, concurrency: 2, unit: { exec: { command: ["true"] } } }
---
# Mapped

## list

List.

## work

Work.
"""
# It goes on until the file `release` appears beside it.
HELD = """---
type: workflow
steps:
  - id: wait
    unit:
      timeout: 60s
      exec: { command: [sh, -c, "touch started; until test -e release; do sleep 0.02; done"] }
---
# Held

## wait

Wait.
"""


@contextmanager
def held(place: Place, count: int) -> Iterator[list[subprocess.Popen[str]]]:
    """Start drivers of one workflow that stays at its unit until the block ends."""
    file = place.workflow("held", HELD)
    drivers = [place.start("workflow", "run", file) for _driver in range(count)]
    try:
        yield drivers
    finally:
        (place.work / "release").touch()
        for driver in drivers:
            ended(driver)


def test_eight_processes_start_at_once_on_a_machine_that_never_ran_akm(fresh: Place) -> None:
    drivers = []
    for number in range(COUNT):
        folder = fresh.folder(f"project-{number}")
        (folder / "mapped.md").write_text(MAPPED)
        drivers.append(fresh.start("workflow", "run", "mapped.md", cwd=folder))
    with ThreadPoolExecutor(COUNT) as readers:
        done = list(readers.map(ended, drivers))
    assert [one.status for one in done] == [0] * COUNT, [one.err for one in done]
    counted = "SELECT count(*), count(DISTINCT run_id) FROM workflow_run_units WHERE status = 'completed'"
    assert fresh.rows(counted) == [(6 * COUNT, COUNT)]
    assert fresh.rows("PRAGMA integrity_check") == [("ok",)]


def test_eight_processes_that_start_one_workflow_in_one_scope_make_one_run(place: Place) -> None:
    with held(place, COUNT) as drivers, ThreadPoolExecutor(COUNT) as readers:
        waiting = [readers.submit(ended, driver) for driver in drivers]
        ends = as_completed(waiting, timeout=30)
        try:
            refused = [next(ends).result() for _driver in range(COUNT - 1)]
        finally:
            (place.work / "release").touch()
        last = next(ends).result()
    assert last.status == 0, last.err
    assert {_verdict(one) for one in refused} <= {(75, "RUN_LEASE_HELD"), (2, "RESOURCE_ALREADY_EXISTS")}
    assert place.rows("SELECT status FROM workflow_runs") == [("completed",)]
    assert place.rows("SELECT attempt FROM workflow_run_unit_attempts") == [(1,)]


def test_a_second_driver_of_a_run_is_told_who_drives_it(place: Place) -> None:
    with held(place, 1) as (driver,):
        assert until((place.work / "started").exists)
        second = place.run("workflow", "run", "held.md")
        skipping = place.run("workflow", "run", "held.md", "--skip-if-locked")
        listed = place.run("workflow", "list", "--active").result["runs"]
    assert _verdict(second) == (75, "RUN_LEASE_HELD")
    assert str(driver.pid) in second.error["error"]
    assert skipping.status == 0
    assert ["interrupted" in run for run in listed] == [False]


def test_a_killed_drivers_run_shows_as_interrupted_and_keeps_its_dispatch(place: Place) -> None:
    journal = "SELECT attempt, dispatch_id FROM workflow_run_unit_attempts"
    with held(place, 1) as (driver,):
        assert until((place.work / "started").exists)
        driver.kill()
        driver.wait()
        before = place.rows(journal)
        shown = place.run("workflow", "status", "held.md", "--units").result
        said = place.run("workflow", "status", "held.md", "--format", "text").out
    assert shown["run"]["interrupted"] is True
    assert [unit.get("interrupted") for unit in shown["units"]] == [True]
    assert "interrupted" in said
    assert place.run("workflow", "run", "held.md").status == 0
    assert place.rows(journal) == before
    started = "SELECT count(*) FROM events WHERE event_type = 'workflow_unit_started'"
    assert place.rows(started) == [(1,)]


def _verdict(done: Done) -> tuple[int, str]:
    return done.status, done.error["code"]
