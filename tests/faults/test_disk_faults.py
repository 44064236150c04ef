"""The disk fails under SQLite, at any call of the installed command: one sentence, and the run goes on."""

from __future__ import annotations

import errno
from pathlib import Path

import campaign
import pytest
import short_run
from injector import FAULTS, Fault, Injector
from installed import Place

FULL = {75: "DATABASE_FULL"}
#: SQLite does not tell why its shared memory could not grow; that is taken for a full disk.
BROKEN = {78: "DATABASE_UNUSABLE"} | FULL


def count(machine: Place, injector: Injector, call: str) -> int:
    """Count the calls of an undisturbed run, the making of its ledger included."""
    environment = injector.faulty(short_run.ledger(machine), Fault(call, 0), 0)
    assert short_run.drive(machine, environment=environment).status == 0
    short_run.check_ledger(machine)
    return injector.counted()[0]


@pytest.mark.parametrize("kind", FAULTS)
def test_a_run_that_meets_a_fault_of_the_disk_ends_in_one_sentence_and_goes_on(
    tmp_path: Path, injector: Injector, kind: str
) -> None:
    fault = FAULTS[kind]
    calls = count(Place(tmp_path / "undisturbed"), injector, fault.call)
    assert calls > 3
    for at in campaign.draw(calls):
        machine = Place(tmp_path / f"at-{at}")
        environment = injector.faulty(short_run.ledger(machine), fault, at)
        done = short_run.drive(machine, environment=environment)
        assert injector.counted()[1] >= 1
        campaign.inject("disk")
        short_run.check_said(done, FULL if fault.number == errno.ENOSPC else BROKEN)
        if done.status == 0:
            assert list(short_run.left(machine).runs.values()) == ["completed"]
        short_run.check_goes_on(machine)
