"""The state of everything that has to work for a task to run by itself. It looks and changes nothing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from akm import config, paths
from akm.errors import AkmError
from akm.tasks import catalog, schedule
from akm.tasks.execution import launcher, log_file
from akm.tasks.execution.attempt import Opened
from akm.tasks.files.task import Task
from akm.tasks.firing import activation, installation, overdue
from akm.tasks.firing.firing_state import FiringState


@dataclass(slots=True)
class _Found:
    """What looking at the task files told."""

    enabled: list[Task] = field(default_factory=list)
    not_enabled: list[str] = field(default_factory=list)
    problems: list[dict[str, str]] = field(default_factory=list)


def report(opened: Opened, layers: config.Layers, state: FiringState, *, now: float) -> dict[str, Any]:
    """Compare what should have run with what did, and say where everything is. `ok`: nothing is wrong now."""
    found = _look()
    late, missed = _unrun(found.enabled, opened, state, now)
    problems = found.problems
    fault = state.fault()
    if fault is not None and found.enabled:
        problems.append({"problem": fault})
    return {
        "ok": not late and not problems,
        "overdue": late,
        "missed": missed,
        "enabled": [task.ref for task in found.enabled],
        "problems": problems,
        "notEnabled": found.not_enabled,
        "scheduler": state.shown(),
        "launcher": list(launcher.argv()),
        "database": str(config.database(layers).path),
        "logs": str(log_file.folder()),
        "scheduledLogs": str(installation.here().logs),
        "subset": schedule.SUBSET,
    }


def _look() -> _Found:
    found = _Found()
    refs = set(activation.enabled(lambda text: found.problems.append({"problem": text})) or ())
    # A scheduler knows no project, so none is looked at.
    for entry in catalog.tasks(activation.bundles(), None):
        # All that are enabled in a folder that cannot be read have its fault.
        enabled = {ref for ref in refs if ref == entry.ref or ref.startswith(f"{entry.ref}/")}
        refs -= enabled
        if isinstance(entry.task, AkmError):
            problem = f"file invalid: {entry.task.message}"
            found.problems += [{"ref": ref, "problem": problem} for ref in sorted(enabled)]
        elif enabled:
            found.enabled.append(entry.task)
        elif entry.task.schedules:
            found.not_enabled.append(entry.ref)
    for ref in sorted(refs):
        found.problems.append({"ref": ref, "problem": "it is enabled, but there is no such task file"})
    return found


def _unrun(
    tasks: list[Task], opened: Opened, state: FiringState, now: float
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Say which tasks are overdue, and which did not run at times but have run since."""
    late, missed = [], []
    with opened() as db:
        for task in tasks:
            since = max(
                overdue.changed_at(task.path, paths.user_config_file()), now - overdue.LOOK_BACK_SECONDS
            )
            runs = overdue.runs(db, task, since, now)
            one = overdue.find(task, runs, now, since=since)
            if one is not None:
                late.append(one.shown() | {"cause": state.cause(task.ref)})
            gap = overdue.gap(task, runs, since=since)
            if gap is not None:
                missed.append(gap.shown())
    return late, missed
