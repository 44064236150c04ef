"""Descriptors are used up: the command ends in one sentence, and the run goes on with more of them."""

from __future__ import annotations

import resource
from pathlib import Path

import campaign
import short_run
from installed import Place, a_machine

#: With fewer, Python itself cannot read its modules.
LEAST = 7
#: With so many, the run gets through.
ENOUGH = 40
#: With 1 a unit could not be started, so its run failed; the rest could not open what it needed at all.
ENDINGS = {75: "TOO_MANY_FILES", 78: "DATABASE_UNUSABLE"}


def limited(machine: Place, descriptors: int) -> int:
    """Run the workflow with so many descriptors, check what it said and return its exit status."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))

    done = short_run.drive(machine, preexec_fn=limit)
    campaign.inject("descriptor limit")
    if done.status != 1:
        short_run.check_said(done, ENDINGS)
    else:
        assert "Traceback" not in done.err
        assert done.result["run"]["status"] == "failed"
    return done.status


def check_finished_once(machine: Place) -> None:
    """Each unit ran once and has one completed attempt, after however many that could not be started."""
    query = "SELECT unit_id FROM workflow_run_unit_attempts WHERE status = 'completed' ORDER BY unit_id"
    assert machine.rows("SELECT status FROM workflow_runs") == [("completed",)]
    assert machine.rows(query) == [(unit,) for unit in short_run.UNITS]
    assert short_run.ran(machine) == dict.fromkeys(short_run.UNITS, 1)
    assert machine.rows("PRAGMA integrity_check") == [("ok",)]


def test_a_run_without_descriptors_ends_in_one_sentence_and_goes_on(tmp_path: Path, migrated: Path) -> None:
    seen = set()
    for more in sorted({1, *campaign.draw(12)}):
        machine = a_machine(tmp_path / f"more-{more}", migrated)
        seen.add(limited(machine, LEAST + more - 1))
        short_run.go_on(machine, short_run.left(machine))
        check_finished_once(machine)
    assert 75 in seen


def test_a_run_needs_few_descriptors(machine: Place) -> None:
    assert limited(machine, ENOUGH) == 0
    short_run.check_ledger(machine)
