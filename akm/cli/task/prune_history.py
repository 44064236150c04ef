"""`akm task prune-history`: delete old attempts, never open ones and never by itself."""

from __future__ import annotations

import time
from typing import Annotated, Any

import typer

from akm.cli import durations, ledger, output

OlderThan = Annotated[
    str, typer.Option("--older-than", metavar="AGE", help="Started longer ago than this, or before a time.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only count them.")]


def prune_history(older_than: OlderThan, dry_run: DryRun = False) -> None:
    """Delete the attempts that started longer ago than an age such as 90d. Open ones stay."""
    bound = durations.moment(older_than, "--older-than", time.time())
    with ledger.opened() as db:
        count = _counted(db, bound) if dry_run else _pruned(db, bound)
    output.show({"ok": True, "olderThan": bound, "dryRun": dry_run, "count": count}, render=_lines)


def _counted(db: Any, bound: str) -> int:
    from akm.views import task_history

    return task_history.prunable(db, older_than=bound)


def _pruned(db: Any, bound: str) -> int:
    from akm.services import task_history

    return task_history.prune(db, older_than=bound)


def _lines(result: dict[str, Any]) -> list[str]:
    verb = "would be deleted" if result["dryRun"] else "deleted"
    return [f"Attempts that started before {result['olderThan']} and are not open: {result['count']} {verb}."]
