"""The child runs below a run, and reopening those of them that stand in its way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from akm import states
from akm.engine import reopening
from akm.store.database import Database
from akm.views import runs as run_views


def resume(db: Database, run_id: str, *, now: Callable[[], str]) -> list[str]:
    """Reopen the runs below `run_id` that keep it from going on, deepest first, and return their ids.

    One transaction per run: cut off in between, the same command goes on.
    """
    return [child_id for child_id in stopped(db, run_id) if reopening.reopen(db, child_id, at=now())]


def stopped(db: Database, run_id: str) -> list[str]:
    """List the blocked and failed runs below `run_id` that keep it from going on, deepest first.

    A child whose parent has left its step behind (`on_error: continue`) keeps nobody: reopened, it would be
    active for ever, because no driver comes back to it.
    """
    shown = run_views.detail(db, run_id)
    return list(_stopped(shown["run"]["currentStepId"], shown.get("children", [])))


def blocked_child(db: Database, run_id: str) -> dict[str, Any] | None:
    """Find the direct child that blocks a run; None when none does."""
    children = run_views.detail(db, run_id).get("children", [])
    return next((child for child in children if child["status"] == states.BLOCKED), None)


def _stopped(step_id: str | None, children: list[dict[str, Any]]) -> Iterator[str]:
    for child in children:
        if step_id is None or child["stepId"] not in (step_id, None):
            continue
        yield from _stopped(child["currentStepId"], child.get("children", []))
        if child["status"] in (states.BLOCKED, states.FAILED):
            yield str(child["runId"])
