"""The clock steps back and forwards in a run: nothing hangs, is lost, or lasts less than nothing."""

from __future__ import annotations

import json
from typing import Any

import campaign
import pytest
import short_run
from builders import a_wanted, dump, finished, later, publish, rows
from injector import Injector
from installed import Place as Machine
from installed import ended, until
from places import Place
from workflow_files import a_map, a_step, items

from akm.services import attempts
from akm.store.database import Database

STEPS = {"back by a day": -86_400, "forwards by ten years": 315_360_000, "to before 1970": -2_000_000_000}


def numbers(shown: Any) -> list[float]:
    """List every number of a result, however deep."""
    if isinstance(shown, dict | list):
        return [
            one for value in (shown.values() if isinstance(shown, dict) else shown) for one in numbers(value)
        ]
    return [shown] if isinstance(shown, int | float) else []


def check_views(machine: Machine) -> None:
    """Every view shows the run, and no number in it is below nothing."""
    for verb in (["workflow", "status", short_run.FILE, "--units"], ["workflow", "list"], ["log"]):
        shown = machine.run(*verb)
        assert shown.status == 0, shown.err
        assert min(numbers(shown.result), default=0) >= 0
        assert machine.run(*verb, "--format", "text").status == 0


@pytest.mark.parametrize("step", STEPS)
def test_a_run_goes_through_a_clock_that_steps_in_the_middle_of_a_unit(
    machine: Machine, injector: Injector, step: str
) -> None:
    environment = injector.stepped()
    # Written by the unit itself, so that the step falls between its reservation and its end.
    short_run.within(machine, f"printf %-32s {STEPS[step]} 1<> {injector.clock}")
    done = short_run.drive(machine, environment=environment)
    campaign.inject("clock step")
    assert done.status == 0, done.err
    short_run.check_ledger(machine)
    query = "SELECT started_at, finished_at FROM workflow_run_unit_attempts ORDER BY unit_id"
    (started, ended_at), (second, _end) = machine.rows(query)
    assert (ended_at < started) == (STEPS[step] < 0)
    assert (second < started) == (STEPS[step] < 0)
    check_views(machine)


@pytest.mark.parametrize("step", STEPS)
def test_a_killed_run_goes_on_when_the_clock_was_set_meanwhile(
    machine: Machine, injector: Injector, step: str
) -> None:
    short_run.within(machine, "touch begun; test -e hurry || exec sleep 60")
    driver = short_run.start(machine)
    assert until((machine.work / "begun").exists)
    driver.kill()
    ended(driver)
    (machine.work / "hurry").touch()
    environment = injector.stepped()
    injector.step(STEPS[step])
    campaign.inject("clock step")
    done = short_run.drive(machine, environment=environment)
    assert done.status == 0, done.err
    short_run.check_ledger(machine)
    check_views(machine)


def test_a_task_whose_clock_goes_back_ends_when_it_began(machine: Machine, injector: Injector) -> None:
    folder = machine.folder("team/tasks")
    (machine.folder("config") / "config.toml").write_text(f'[bundles.team]\npath = "{folder.parent}"\n')
    script = f"printf %-32s -3600 1<> {injector.clock}"
    (folder / "t.yml").write_text(json.dumps({"version": 4, "run": script}))
    done = machine.run("task", "run", "t", env=machine.environment() | injector.stepped())
    campaign.inject("clock step")
    assert done.status == 0, done.err
    result = done.result["result"]
    assert (result["durationMs"], result["finishedAt"]) == (0, result["startedAt"])
    ((kept,),) = machine.rows("SELECT started_at = completed_at FROM task_history")
    assert kept == 1
    assert min(numbers(machine.run("task", "history").result), default=0) >= 0


@pytest.mark.parametrize("seconds", [-1_000_000, 1_000_000])
def test_an_attempt_lands_whenever_the_clock_says_it_ended(db: Database, seconds: float) -> None:
    run_id = publish(db)
    reserved = attempts.reserve(db, run_id, a_wanted(), at=later(0))
    campaign.inject("clock step")
    assert attempts.finish(db, run_id, finished(reserved), at=later(seconds))
    assert not attempts.finish(db, run_id, finished(reserved), at=later(0))
    again = attempts.reserve(db, run_id, a_wanted(), at=later(-seconds))
    assert (again.attempt, again.is_reclaimed) == (2, False)
    (unit,) = dump(db)["workflow_run_units"]
    assert (unit["status"], unit["attempts"]) == ("running", 2)


def test_the_driver_does_its_work_in_order_under_a_clock_that_only_goes_back(place: Place) -> None:
    place.write(a_map("a", "true"), a_step("b", "true"), params=items(*range(6)))
    ticks = iter(range(0, -100_000, -60))
    campaign.inject("clock step")
    result = place.run(now=lambda: later(next(ticks)))
    assert result.exit_status == 0
    assert [one[1:] for one in place.attempts()] == [(1, "completed", None)] * 7
    kinds = [one["event_type"] for one in rows(place.db, "SELECT event_type FROM events ORDER BY id")]
    assert (kinds[0], kinds[-1]) == ("workflow_started", "workflow_finished")
