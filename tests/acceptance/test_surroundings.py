"""The command in surroundings that are not kind: an impatient person, a closed pipe, a full disk, no HOME."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from installed import AKM, Place, ended, until

# `pty.spawn` makes a terminal the controlling one, so that what is typed becomes a signal there.
AT_A_TERMINAL = "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))"
SLOW = """---
type: workflow
steps:
  - id: first
    unit: { exec: { command: ["true"] } }
  - id: slow
    unit: { exec: { command: [sh, -c, 'touch begun; test -e hurry || exec sleep 60'] } }
---
# Slow

## first

Begin.

## slow

Take your time.
"""


def test_control_c_at_a_terminal_leaves_a_run_that_goes_on(place: Place) -> None:
    command = [sys.executable, "-c", AT_A_TERMINAL, AKM, "workflow", "run", place.workflow("slow", SLOW)]
    terminal = subprocess.Popen(
        command,
        cwd=place.work,
        env=place.environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert until((place.work / "begun").exists)
    assert terminal.stdin is not None
    terminal.stdin.write("\x03")
    terminal.stdin.flush()
    interrupted = ended(terminal)
    assert interrupted.status == 130, interrupted.out
    assert "Traceback" not in interrupted.out
    assert place.rows("SELECT status, current_step_id FROM workflow_runs") == [("active", "slow")]
    (place.work / "hurry").touch()
    again = place.run("workflow", "run", "slow.md")
    assert [step["stepId"] for step in again.result["executed"]] == ["slow"]
    counted = "SELECT unit_id, max(attempt) FROM workflow_run_unit_attempts GROUP BY unit_id"
    assert place.rows(counted) == [("first:solo", 1), ("slow:solo", 2)]


def test_a_reader_that_has_seen_enough_ends_the_command_without_a_word(place: Place) -> None:
    (place.work / "hurry").touch()
    for _time in range(3):
        assert place.run("workflow", "run", place.workflow("slow", SLOW), "--new").status == 0
    # A pipe whose reading end is closed already: what `| head -1` leaves behind, at every moment.
    reading, writing = os.pipe()
    os.close(reading)
    done = place.run("log", "--format", "jsonl", stdout=writing)
    os.close(writing)
    assert (done.status, done.err) == (141, "")
    shell = ["bash", "-c", f"set -o pipefail; '{AKM}' log --format jsonl | head -1"]
    piped = subprocess.run(shell, cwd=place.work, env=place.environment(), capture_output=True, text=True)
    assert piped.returncode in (0, 141)
    assert piped.stdout.count("\n") == 1
    assert piped.stderr == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
def test_output_that_is_not_taken_is_said_and_the_work_is_kept(place: Place) -> None:
    (place.work / "hurry").touch()
    with open("/dev/full", "w") as full:
        done = place.run("workflow", "run", place.workflow("slow", SLOW), stdout=full)
    assert done.status == 1
    assert done.error["code"] == "OUTPUT_UNWRITABLE"
    assert "Traceback" not in done.err
    assert place.rows("SELECT status FROM workflow_runs") == [("completed",)]


def test_without_home_the_command_says_which_variable_to_set(place: Place) -> None:
    names = ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")
    bare = {
        name: value for name, value in place.environment().items() if "AKM_" not in name and name not in names
    }
    refused = place.run("workflow", "list", env=bare)
    assert refused.status == 78
    assert "HOME" in refused.error["error"] + refused.error["hint"]


def test_without_home_akms_own_variables_are_enough(place: Place) -> None:
    (place.work / "hurry").touch()
    environment = {name: value for name, value in place.environment().items() if name != "HOME"}
    done = place.run("workflow", "run", place.workflow("slow", SLOW), env=environment)
    assert done.status == 0, done.err
