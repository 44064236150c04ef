"""`akm db prune`: delete old runs that are over."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from akm.cli import durations, ledger, output
from akm.cli.tables import Table
from akm.engine.care import pruning
from akm.errors import UsageError

OlderThan = Annotated[
    str | None,
    typer.Option("--older-than", metavar="AGE", help="Last changed longer ago than this, or before a time."),
]
KeepLast = Annotated[
    int | None,
    typer.Option("--keep-last", metavar="N", min=0, help="Keep the N newest of each workflow in each scope."),
]
History = Annotated[bool, typer.Option("--history", help="Delete task history of that age too.")]
Events = Annotated[bool, typer.Option("--events", help="Delete events of that age that are of no run too.")]
Vacuum = Annotated[bool, typer.Option("--vacuum", help="Make the file smaller afterwards.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only count them.")]


def prune(
    older_than: OlderThan = None,
    keep_last: KeepLast = None,
    history: History = False,
    events: Events = False,
    vacuum: Vacuum = False,
    dry_run: DryRun = False,
) -> None:
    """Delete completed and failed runs with all their rows. Active, blocked and driven ones stay."""
    if older_than is None and (keep_last is None or history or events):
        needed = "--older-than" if history or events else "--older-than, --keep-last, or both"
        raise UsageError(f"akm db prune needs {needed}.", code="MISSING_REQUIRED_ARGUMENT")
    bound = None if older_than is None else durations.moment(older_than, "--older-than", time.time())
    rule, wish = pruning.Rule(bound, keep_last), pruning.Wish(history, events, vacuum)
    with ledger.opened() as db:
        done = (pruning.preview if dry_run else pruning.prune)(db, rule, wish)
    asked = {"olderThan": bound, "keepLast": keep_last, "dryRun": dry_run}
    output.show({"ok": True, **asked, **done}, render=_lines)


def _lines(done: dict[str, Any]) -> Iterator[str | Table]:
    deleted = "would be deleted" if done["dryRun"] else "deleted"
    yield f"Runs that are over and not to be kept: {done['runs']} {deleted}."
    yield Table(("table", deleted), [*done["tables"].items()])
    if done["bytesFreed"] is not None:
        yield f"{done['bytesFreed']:,} bytes were freed."
    yield f"The file has {done['bytes']:,} bytes, of which {done['freeBytes']:,} are free for new rows."
