"""Two drivers of one run: one drives, the other is told who does."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from outcomes import done, said
from places import Place
from workflow_files import a_step, sh

from akm.engine.lock import holder_path, lock_path
from akm.engine.runners.base import Dispatch, Outcome


def akm(place: Place, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "AKM_DATABASE_URL": f"sqlite:///{place.db.path}", **more}
    command = [sys.executable, "-m", "akm", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True)


def while_driven(place: Place, *commands: tuple[str, ...]) -> list[subprocess.CompletedProcess[str]]:
    """Run commands of other processes while this one drives `w`."""
    ended: list[subprocess.CompletedProcess[str]] = []

    def act(dispatch: Dispatch) -> Outcome:
        filled = ([word.replace("RUN", dispatch.run_id) for word in command] for command in commands)
        ended.extend(akm(place, *command) for command in filled)
        return said("x")

    place.fake(act, max_steps=1)
    return ended


def test_the_second_is_refused_naming_pid_and_start_of_the_first(place: Place) -> None:
    place.write(a_step("a"), a_step("b"))
    by_ref, by_id = while_driven(place, ("workflow", "run", "w"), ("workflow", "run", "RUN"))
    for ended in (by_ref, by_id):
        assert (ended.returncode, ended.stdout) == (75, "")
        error = json.loads(ended.stderr.splitlines()[-1])
        assert error["code"] == "RUN_LEASE_HELD"
        assert f"process {os.getpid()} on " in error["error"]
        assert " since 20" in error["error"]
    assert len(place.attempts()) == 1
    assert place.rows("PRAGMA integrity_check") == [{"integrity_check": "ok"}]


def test_skip_if_locked_exits_0_and_says_why(place: Place) -> None:
    place.write(a_step("a"), a_step("b"))
    (ended,) = while_driven(place, ("workflow", "run", "w", "--skip-if-locked"))
    assert ended.returncode == 0
    shown = json.loads(ended.stdout)
    assert (shown["ok"], shown["target"], shown["skipped"]["reason"]) == (True, "w", "lock-held")
    assert "warning" in ended.stderr


def test_readers_and_other_commands_neither_wait_nor_change_the_run(place: Place) -> None:
    place.write(a_step("a"), a_step("b"))
    place.write(a_step("a"), name="other")
    commands = (
        ("workflow", "status", "RUN", "--units", "--attempts"),
        ("workflow", "list", "--all-scopes"),
        ("log", "--run", "RUN"),
        ("db", "check"),
        ("workflow", "run", "other"),
    )
    ended = while_driven(place, *commands)
    assert [one.returncode for one in ended] == [0] * len(commands)
    status = json.loads(ended[0].stdout)
    assert (status["run"]["status"], "interrupted" in status["run"]) == ("active", False)
    assert [row["status"] for row in status["units"]] == ["running"]
    runs = place.rows("SELECT workflow_ref, status FROM workflow_runs ORDER BY workflow_ref")
    assert [row["status"] for row in runs] == ["completed", "active"]


def test_a_holder_file_that_names_a_living_process_does_not_hold(place: Place) -> None:
    place.write(a_step("a"), a_step("b"))
    run_id = place.fake(done, max_steps=1).run["id"]
    holder: dict[str, Any] = {"pid": os.getppid(), "host": "here", "startedAt": "2027-01-01T00:00:00.000Z"}
    holder_path(lock_path(place.locks, run_id)).write_text(json.dumps(holder))
    assert place.fake(done).run["status"] == "completed"


@pytest.mark.parametrize("flag", ["", "--skip-if-locked"])
def test_a_killed_driver_holds_nothing(place: Place, flag: str) -> None:
    place.write(a_step("a", *sh('test -e again || { touch again; kill -9 "$PPID"; }')))
    assert akm(place, "workflow", "run", "w").returncode == -signal.SIGKILL
    ended = akm(place, "workflow", "run", "w", *filter(None, [flag]))
    assert ended.returncode == 0
    assert json.loads(ended.stdout)["resumed"] is True
    assert not Path(lock_path(place.locks, json.loads(ended.stdout)["run"]["id"])).exists()


def test_an_abandoned_run_stops_before_its_next_unit(place: Place) -> None:
    place.write(a_step("a"), a_step("b"))
    (ended,) = while_driven(place, ("workflow", "abandon", "RUN"))
    assert json.loads(ended.stdout)["run"]["status"] == "failed"
    assert place.attempts() == [("a:solo", 1, "completed", None)]
    assert place.status() == "failed"


def test_who_shares_the_database_shares_its_locks_whatever_else_they_do_not_share(
    place: Place, tmp_path: Path
) -> None:
    place.write(a_step("a"), a_step("b"))
    (tmp_path / "links").mkdir()
    (tmp_path / "links/state.db").symlink_to(place.db.path)
    url, ended = f"sqlite:///{tmp_path}/links/state.db", []

    def act(dispatch: Dispatch) -> Outcome:
        others = {"AKM_DATA_DIR": str(tmp_path / "other"), "AKM_DATABASE_URL": url}
        ended.append(akm(place, "workflow", "run", dispatch.run_id, **others))
        return said("x")

    place.fake(act, max_steps=1)
    assert ended[0].returncode == 75
