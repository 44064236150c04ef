"""The write lock is held for longer than the limit: exit 75 with the holder's name, and the run goes on."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

import campaign
import short_run
from command_lines import Done
from injector import Injector
from installed import Place, ended, until


@contextmanager
def held(machine: Place) -> Iterator[None]:
    """Hold the write lock in this process."""
    with closing(sqlite3.connect(short_run.ledger(machine), isolation_level=None, timeout=30)) as raw:
        raw.execute("BEGIN IMMEDIATE")
        campaign.inject("held lock")
        yield


def check_named(done: Done) -> None:
    short_run.check_said(done, {75: "STATE_DB_CONTENDED"})
    assert done.status == 75
    assert f"is held by process {os.getpid()} (" in done.error["error"]


def test_a_ledger_that_stays_held_is_refused_with_its_holder(machine: Place, injector: Injector) -> None:
    with held(machine):
        check_named(short_run.drive(machine, environment=injector.hasty()))
        assert short_run.left(machine).runs == {}
    short_run.check_goes_on(machine)


def test_a_ledger_that_gets_held_during_a_unit_leaves_the_unit_to_be_gone_on_with(
    machine: Place, injector: Injector
) -> None:
    short_run.within(machine, "touch begun; until test -e hurry; do sleep 0.02; done")
    driver = short_run.start(machine, environment=injector.hasty())
    assert until((machine.work / "begun").exists)
    with held(machine):
        (machine.work / "hurry").touch()
        check_named(ended(driver))
    assert list(short_run.left(machine).attempts.values()) == ["running"]
    short_run.check_goes_on(machine)
