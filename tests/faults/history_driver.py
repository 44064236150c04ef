"""Drives histories in forked processes that kill themselves at a commit. Run as a program: DATABASE PROJECT.

Each line it reads is NAME POINT NUMBER, and each that it writes says how the process ended and how many
commits it had made.
"""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import crash_driver
from histories import HISTORIES, History

from akm import clock, states
from akm.engine import driver, runs_below, workplace
from akm.engine.gates import approvals
from akm.engine.gates.approvals import Given
from akm.engine.runners import choose
from akm.engine.runners.base import Dispatch, Outcome
from akm.services import runs
from akm.store.database import Database
from akm.store.opening import open_database
from akm.store.transaction import Block
from akm.views import runs as run_views
from akm.workflow.plan import UnitNode

#: A fork comes after its source, and is another history.
_RUN = "SELECT id, status FROM workflow_runs WHERE parent_run_id IS NULL ORDER BY rowid DESC LIMIT 1"
_RESUMED = (
    "SELECT count(*) FROM events WHERE event_type = 'workflow_resumed' "
    "AND json_extract(metadata_json, '$.runId') = ?"
)
_DECIDED = (
    "SELECT count(*) FROM workflow_run_unit_attempts WHERE run_id = ? AND step_id = ? AND phase = 'gate'"
)


def drive(db: Database, root: Path, history: History) -> None:
    """Drive a history to its end from wherever it stands, with what people do in between."""
    while True:
        found = db.connection.execute(_RUN).fetchone()
        if found is None or found[1] == "active":
            options = driver.Options(runner_for=_told(history))
            driver.run(db, workplace.here(root), found[0] if found else "w", options=options)
        elif not _act(db, root, history, found[0]):
            return


def _told(history: History) -> Any:
    """Choose runners that tell their unit its attempt, and spend what the history says."""

    def choice(node: UnitNode) -> Any:
        runner = choose.runner_for(node)
        assert runner is not None

        def run(dispatch: Dispatch) -> Outcome:
            told = {**dispatch.environment, "ATTEMPT": str(dispatch.attempt)}
            return replace(runner(replace(dispatch, environment=told)), tokens=history.tokens)

        return run

    return choice


def _act(db: Database, root: Path, history: History, run_id: str) -> bool:
    """Do what a person does about a run that has stopped; False when nothing is left to do."""
    stopped = [*runs_below.stopped(db, run_id), run_id]
    waiting = next((one for one in stopped if approvals.shown(db, one)), None)
    if waiting is not None:
        step_id = run_views.head(db, waiting).current_step_id or ""
        _decide(db, waiting, history.decisions[step_id][_count(db, _DECIDED, waiting, step_id)])
        return True
    resumed = _count(db, _RESUMED, run_id)
    if run_views.head(db, run_id).status == states.COMPLETED or resumed >= history.resumes:
        return False
    (root / f"mended-{resumed + 1}").touch()
    for one in stopped:
        runs.resume(db, one, at=clock.now())
    return True


def _decide(db: Database, run_id: str, decision: Any) -> None:
    if isinstance(decision, tuple):
        approvals.reject(db, run_id, None, by="me", at=clock.now(), note=decision[0])
    else:
        approvals.approve(
            db,
            run_id,
            None,
            by="me",
            at=clock.now(),
            note="Fine.",
            given=None if decision is None else Given(decision),
        )


def _count(db: Database, query: str, *values: str) -> int:
    return int(db.connection.execute(query, values).fetchone()[0])


def _counted(made: list[int]) -> None:
    """Count the commits that write."""
    commit = Block._commit

    def counting(block: Block) -> None:
        total = block._connection.total_changes
        commit(block)
        made[0] += total != made[1]
        made[1] = total

    Block._commit = counting  # type: ignore[method-assign]


def child(database: Path, root: Path, name: str, point: str, number: int) -> int:
    """Drive a history in this process; returns how many commits it took."""
    made = [0, 0]
    if point == "nowhere":
        _counted(made)
    else:
        crash_driver.at_commit(number, after=point == "after-commit")
    os.chdir(root)
    with open_database(database, synchronous="normal") as db:
        drive(db, root, HISTORIES[name])
    return made[0]


def main(database: str, root: str) -> None:
    for line in sys.stdin:
        name, point, number = line.split()
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(read)
            made = child(Path(database), Path(root), name, point, int(number))
            os.write(write, str(made).encode())
            os._exit(0)
        os.close(write)
        with os.fdopen(read) as pipe:
            # Read to its end by the death of the process, which may have been the killed one's.
            _pid, status = os.waitpid(pid, 0)
            said = pipe.read() if status == 0 else ""
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)} {said or 0}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
