"""The child runs below a run, and reopening those of them that stand in its way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from akm import states
from akm.engine import reopening
from akm.store.database import Database
from akm.views import runs as run_views


def resume(db: Database, run_id: str, *, now: Callable[[], str]) -> list[str]:
    """Reopen every blocked or failed run below `run_id`, deepest first, and return their ids.

    One transaction per run: cut off in between, the same command goes on.
    """
    stopped = [
        str(child["runId"])
        for child in _deepest_first(run_views.detail(db, run_id).get("children", []))
        if child["status"] in (states.BLOCKED, states.FAILED)
    ]
    return [child_id for child_id in stopped if reopening.reopen(db, child_id, at=now())]


def blocked_child(db: Database, run_id: str) -> dict[str, Any] | None:
    """Find the direct child that blocks a run; None when none does."""
    children = run_views.detail(db, run_id).get("children", [])
    return next((child for child in children if child["status"] == states.BLOCKED), None)


def _deepest_first(children: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for child in children:
        yield from _deepest_first(child.get("children", []))
        yield child
