"""The installed command looks after a ledger while a real driver is at work in it."""

from __future__ import annotations

import random
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

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


def whole(path: Path) -> int:
    """Check a file and count its runs."""
    with closing(sqlite3.connect(path)) as raw:
        assert raw.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return int(raw.execute("SELECT count(*) FROM workflow_runs").fetchone()[0])


def test_a_ledger_at_work_is_backed_up_and_never_replaced(place: Place) -> None:
    marks = place.folder("marks")
    file = place.workflow("waiting", _WORKFLOW.format(marks=marks))
    before = place.run("db", "backup", "before.db")
    assert before.status == 0, before.err
    driver = place.start("workflow", "run", file, "--quiet")
    assert until((marks / "started").exists)
    assert place.run("db", "backup", "during.db").result["tables"]["workflow_runs"] == 1
    refused = place.run("db", "restore", "before.db")
    assert (refused.status, refused.error["code"]) == (75, "RUN_LEASE_HELD")
    (marks / "go").touch()
    assert ended(driver).status == 0
    assert place.rows("SELECT status FROM workflow_runs") == [("completed",)]
    assert place.run("db", "restore", "during.db").status == 0
    # The dispatch that was under way when the copy was taken is handed out again.
    run_id = str(place.rows("SELECT id FROM workflow_runs")[0][0])
    assert place.run("workflow", "run", run_id, "--quiet").status == 0
    assert place.rows("SELECT attempt, status FROM workflow_run_unit_attempts") == [(1, "completed")]


def test_backups_and_restores_that_are_killed_lose_nothing(place: Place) -> None:
    marks = place.folder("marks")
    (marks / "go").touch()
    file = place.workflow("waiting", _WORKFLOW.format(marks=marks))
    assert place.run("workflow", "run", file, "--quiet").status == 0
    assert place.run("db", "backup", "one.db").status == 0
    assert place.run("workflow", "run", file, "--new", "--quiet").status == 0
    ledger, moments = place.root / "data/state.db", random.Random(7)
    for number in range(12):
        verb = ("backup", f"{number}.db") if number % 2 else ("restore", "one.db")
        command = place.start("db", *verb)
        try:
            command.wait(moments.uniform(0.05, 0.35))
        except subprocess.TimeoutExpired:
            command.kill()
        ended(command)
        kept = list(ledger.parent.glob("state.db.before-restore-*"))
        assert 2 in [whole(path) for path in (ledger, *kept)]
        for copy in place.work.glob("*.db"):
            assert whole(copy) in (1, 2)
