"""The installed command prunes and examines a ledger while real drivers are at work in it."""

from __future__ import annotations

import random
import subprocess

from installed import Place, ended, until

_WORKFLOW = """---
type: workflow
steps:
  - id: wait
    unit:
      exec:
        command: [sh, -c, 'touch "$0/started"; while [ ! -e "$0/go" ]; do sleep 0.02; done', {marks}]
---
# Waiting

## wait

Wait for a file.
"""


def test_a_run_that_is_driven_loses_nothing_while_everything_else_goes(place: Place) -> None:
    marks = place.folder("marks")
    (marks / "go").touch()
    file = place.workflow("waiting", _WORKFLOW.format(marks=marks))
    for _run in range(3):
        assert place.run("workflow", "run", file, "--new", "--quiet").status == 0
    for mark in ("go", "started"):
        (marks / mark).unlink()
    driver = place.start("workflow", "run", file, "--new", "--quiet")
    assert until((marks / "started").exists)
    waiting = str(place.rows("SELECT id FROM workflow_runs WHERE status = 'active'")[0][0])
    told = place.run("db", "prune", "--keep-last", "0", "--dry-run").result
    done = place.run("db", "prune", "--keep-last", "0").result
    assert done["tables"] == told["tables"]
    assert done["runs"] == 3
    refused = place.run("db", "prune", "--keep-last", "0", "--vacuum")
    assert (refused.status, refused.error["code"]) == (75, "RUN_LEASE_HELD")
    refused = place.run("db", "doctor", "--rebuild-units")
    assert (refused.status, refused.error["code"]) == (75, "RUN_LEASE_HELD")
    assert place.run("db", "doctor").result["findings"] == []
    (marks / "go").touch()
    assert ended(driver).status == 0
    assert place.rows("SELECT id, status FROM workflow_runs") == [(waiting, "completed")]
    assert place.rows("SELECT attempt, status FROM workflow_run_unit_attempts") == [(1, "completed")]
    assert place.run("db", "doctor").result["findings"] == []


def test_prunes_that_are_killed_leave_whole_runs_and_the_next_one_goes_on(place: Place) -> None:
    marks = place.folder("marks")
    (marks / "go").touch()
    file = place.workflow("waiting", _WORKFLOW.format(marks=marks))
    moments = random.Random(11)
    for number in range(6):
        for _run in range(3):
            assert place.run("workflow", "run", file, "--new", "--quiet").status == 0
        prune = place.start("db", "prune", "--keep-last", str(number % 3))
        try:
            prune.wait(moments.uniform(0.05, 0.25))
        except subprocess.TimeoutExpired:
            prune.kill()
        ended(prune)
        found = place.run("db", "doctor").result
        assert {one["check"] for one in found["findings"]} <= {"events", "locks"}
        assert found["isSound"]
    assert place.run("db", "prune", "--keep-last", "0").status == 0
    assert place.rows("SELECT count(*) FROM workflow_runs") == [(0,)]
    assert place.rows("SELECT count(*) FROM events") == [(0,)]
