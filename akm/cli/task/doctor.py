"""`akm task doctor`: what should have run and did not, and why."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from akm.cli import output


def doctor() -> int:
    """Compare schedules with the history, and show where everything is. Exits 1 when something is wrong."""
    from akm import config
    from akm.cli import ledger
    from akm.tasks import doctor as examining
    from akm.tasks import firing_state

    layers = config.read()
    report = examining.report(lambda: ledger.opened(layers), layers, firing_state.look(), now=time.time())
    output.show(report, render=_lines)
    return 0 if report["ok"] else 1


def _lines(report: dict[str, Any]) -> Iterator[str]:
    for one in report["overdue"]:
        missed = f"{one['count']} fire{'' if one['count'] == 1 else 's'}"
        yield f"{one['ref']} should have run and did not: {missed} since {one['since']}."
        yield f"  Likely: {one['cause']}."
    for one in report["problems"]:
        yield f"{one['ref']}: {one['problem']}" if "ref" in one else one["problem"]
    if report["ok"]:
        yield "Every enabled task ran when it was due."
    if report["notEnabled"]:
        yield f"Scheduled but not enabled: {', '.join(report['notEnabled'])}."
    scheduler = report["scheduler"]
    yield f"scheduler: {scheduler['backend']} with {scheduler['rows']} tasks" + (
        "; akm task serve is running" if scheduler["serveRunning"] else ""
    )
    yield f"launcher: {' '.join(report['launcher'])}"
    for name in ("database", "logs", "scheduledLogs"):
        yield f"{name}: {report[name]}"
    yield f"schedules: {report['subset']}"
