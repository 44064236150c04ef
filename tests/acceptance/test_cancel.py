"""`akm workflow cancel` from another terminal ends what a run started, and the run goes on later."""

from __future__ import annotations

import os
import time
from pathlib import Path

from installed import Place, ended


def test_a_run_is_cancelled_from_another_terminal(fresh: Place) -> None:
    (fresh.work / "workflows").mkdir(parents=True)
    file = fresh.work / "workflows/slow.md"
    pids = fresh.folder("pids") / "pid"
    file.write_text(
        "---\ntype: workflow\nsteps:\n  - id: a\n    unit: { exec: { command: [sh, -c, "
        f"'test -e {pids} || {{ echo $$ > {pids}; sleep 300; }}'] }} }}\n---\n\n## a\n\nWait.\n"
    )
    driver = fresh.start("workflow", "run", str(file))
    deadline = time.monotonic() + 60
    while not (pids.exists() and pids.read_text().strip()):
        assert time.monotonic() < deadline, "the unit never started"
        time.sleep(0.05)
    (run,) = fresh.run("workflow", "list").result["runs"]
    done = fresh.run("workflow", "cancel", run["id"][:8])
    assert (done.status, done.result["runId"]) == (0, run["id"])
    stopped = ended(driver)
    assert stopped.status == 1
    assert stopped.result["cancelled"] is True
    assert not Path(f"/proc/{pids.read_text().strip()}").exists() or _is_zombie(int(pids.read_text()))
    assert fresh.rows("SELECT status, failure_reason FROM workflow_run_unit_attempts") == [
        ("failed", "aborted")
    ]
    again = fresh.run("workflow", "cancel", run["id"])
    assert (again.status, again.error["code"]) == (1, "NOT_DRIVEN")
    assert fresh.run("workflow", "run", run["id"]).status == 0


def _is_zombie(pid: int) -> bool:
    return os.path.exists(f"/proc/{pid}") and " Z " in Path(f"/proc/{pid}/stat").read_text()
