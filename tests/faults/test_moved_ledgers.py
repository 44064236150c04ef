"""Other ways on come to the same ledger: another machine, a restored backup, a fork, a resume."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from typing import Any

import pytest
from builders import row
from histories import HISTORIES
from ledger_accounts import done_again
from theatre import Theatre

from akm.engine.care import exporting, importing, restoring
from akm.engine.recovery import forking
from akm.store import backup
from akm.store.database import Database
from akm.store.opening import open_database

AT = "2027-01-15T08:00:00.000Z"


def opened(theatre: Theatre) -> Database:
    return open_database(theatre.path, synchronous="normal")


def export_and_import(theatre: Theatre) -> None:
    """Let another ledger, in the same place, take over the run."""
    file = theatre.path.with_name("run.json")
    with opened(theatre) as db:
        run_id = row(db, "SELECT id FROM workflow_runs WHERE parent_run_id IS NULL")["id"]
        exporting.write(db, run_id, file)
    for left in theatre.path.parent.glob("state.db*"):
        left.unlink()
    shutil.copyfile(theatre.migrated, theatre.path)
    with opened(theatre) as db:
        importing.take(db, file)


def back_up_and_restore(theatre: Theatre) -> None:
    saved = theatre.path.with_name("saved.db")
    backup.write(theatre.path, saved)
    theatre.path.write_bytes(b"\xff" * 9000)
    restoring.put_back(theatre.path, saved, at=AT)


@pytest.mark.parametrize("name", HISTORIES)
@pytest.mark.parametrize("move", [export_and_import, back_up_and_restore])
def test_what_a_killed_driver_left_is_gone_on_with_after_a_move(
    theatre: Theatre, name: str, move: Callable[[Theatre], None]
) -> None:
    commits = theatre.drive_calmly(name)
    calm = theatre.account(name, is_ordered=False)
    number = random.randint(1, commits)
    theatre.clear(name)
    theatre.crash(name, "after-commit", number)
    move(theatre)
    theatre.finish(name)
    assert theatre.account(name, is_ordered=False) == calm, f"after {number} of {commits}"


# A fork has a budget of its own, so one that begins behind what its source has spent comes further.
@pytest.mark.parametrize("name", sorted(HISTORIES.keys() - {"used-up"}))
def test_a_fork_from_any_step_comes_to_what_its_source_came_to(theatre: Theatre, name: str) -> None:
    theatre.drive_calmly(name)
    with opened(theatre) as db:
        found = db.connection.execute(
            "SELECT run.id, step.step_id FROM workflow_runs AS run "
            "JOIN workflow_run_steps AS step ON step.run_id = run.id "
            "WHERE parent_run_id IS NULL AND step.status != 'pending' ORDER BY sequence_index"
        ).fetchall()
    for source, step_id in found:
        with opened(theatre) as db:
            forked = forking.fork(db, source, step_id, at=AT, new=True).run_id
        theatre.finish(name)
        assert done_again(theatre.path, forked, step_id) == done_again(theatre.path, source, step_id), step_id


def test_a_resumed_run_comes_to_what_one_comes_to_that_never_failed(theatre: Theatre) -> None:
    theatre.drive_calmly("mended")
    resumed = results(theatre)
    theatre.clear("mended")
    for number in (1, 2):
        (theatre.root / f"mended-{number}").touch()
    theatre.finish("mended")
    assert results(theatre) == resumed


def results(theatre: Theatre) -> dict[str, Any]:
    found = theatre.account("mended", is_ordered=False)
    units = [row | {"attempts": 1} for row in found["units"]]
    return {"steps": found["steps"], "units": units}
