"""`akm task doctor`: what should have run and did not, and why."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from akm.cli import output
from akm.cli.task import times

_RUNNING = {True: "running", False: "not running", None: "unknown"}


def doctor() -> int:
    """Compare schedules with the history, and show where everything is. Exits 1 when something is wrong."""
    from akm import config
    from akm.cli import ledger
    from akm.tasks import doctor as examining
    from akm.tasks.firing import firing_state

    layers = config.read()
    report = examining.report(lambda: ledger.opened(layers), layers, firing_state.look(), now=time.time())
    output.show(report, render=_lines)
    return 0 if report["ok"] else 1


def _lines(report: dict[str, Any]) -> Iterator[str]:
    for one in report["overdue"]:
        missed = _counted(one["count"], "fire")
        yield f"{one['ref']} should have run and did not: {missed} since {times.local(one['since'])}."
        yield f"  Likely: {one['cause']}."
    for one in report["problems"]:
        yield f"{one['ref']}: {one['problem']}" if "ref" in one else one["problem"]
    for one in report["missed"]:
        span = f"from {times.local(one['since'])} to {times.local(one['last'])}"
        yield f"{one['ref']} missed {_counted(one['count'], 'fire')} {span}, and has run since."
    if report["ok"] and not report["missed"]:
        yield "Every enabled task ran when it was due." if report["enabled"] else "No task is enabled."
    if report["notEnabled"]:
        yield f"Scheduled but not enabled: {', '.join(report['notEnabled'])}."
    scheduler = report["scheduler"]
    cron = _RUNNING[scheduler["cronRunning"]]
    served = _RUNNING[scheduler["serveRunning"]]
    yield f"cron: {cron}, {_counted(scheduler['rows'], 'task')} in the crontab; akm task serve: {served}"
    yield f"launcher: {' '.join(report['launcher'])}"
    yield f"database: {report['database']}"
    yield f"logs: {report['logs']}"
    yield f"what cron's rows print: {report['scheduledLogs']}"
    yield f"schedules: {report['subset']}"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
