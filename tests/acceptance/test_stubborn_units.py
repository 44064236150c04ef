"""Units that do not want to end, and units that say too much."""

from __future__ import annotations

import json
from datetime import datetime, timedelta

import pytest
from installed import Place, is_alive, until

STUBBORN = """---
type: workflow
steps:
  - id: stay
    unit:
      timeout: 1s
      exec:
        command:
          - sh
          - -c
          - |
            trap '' TERM
            sh -c 'echo $$ > grandchild; while :; do sleep 1; done' &
            echo $$ > child
            while :; do sleep 1; done
---
# Stubborn

## stay

Stay.
"""
# The second unit asks the system how large its parent, the driver, has ever been.
LOUD = """---
type: workflow
steps:
  - id: shout
    unit: { exec: { command: [sh, -c, "FLOOD"] } }
  - id: look
    unit: { exec: { command: [sh, -c, 'grep VmHWM /proc/$PPID/status'] } }
---
# Loud

## shout

Shout.

## look

Look.
"""


def test_a_unit_that_ignores_the_stop_signal_is_gone_with_its_grandchild_six_seconds_after_its_time(
    place: Place,
) -> None:
    done = place.run("workflow", "run", place.workflow("stubborn", STUBBORN))
    pids = [int((place.work / name).read_text()) for name in ("child", "grandchild")]
    (reason, started, ended), *more = place.rows(
        "SELECT failure_reason, started_at, finished_at FROM workflow_run_unit_attempts"
    )
    assert (done.status, reason, more) == (1, "timeout", [])
    assert until(lambda: not any(map(is_alive, pids)), seconds=2)
    assert _moment(ended) - _moment(started) < timedelta(seconds=1 + 6)


# Zeros are the worst there is: as JSON, a control character takes six.
@pytest.mark.parametrize(
    "flood", ["yes abcdefghijklmnopqrstuvwxyz | head -c 2G", "head -c 2G /dev/zero"], ids=["text", "zeros"]
)
def test_a_unit_that_prints_two_gigabytes_leaves_the_driver_small(place: Place, flood: str) -> None:
    done = place.run("workflow", "run", place.workflow("loud", LOUD.replace("FLOOD", flood)))
    assert done.status == 0, done.err
    results = dict(place.rows("SELECT step_id, result_json FROM workflow_run_units"))
    assert "bytes written: 2147483648" in results["shout"]
    kilobytes = int(str(json.loads(results["look"])).split("VmHWM:")[1].split()[0])
    assert kilobytes < 120 * 1024


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
