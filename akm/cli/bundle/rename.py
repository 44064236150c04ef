"""`akm bundle rename`: give a bundle another name, with its runs, its history and its schedule."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from typing import Annotated, Any

import typer

from akm import clock, config
from akm.bundles import rename as renaming
from akm.cli import ledger, output

Old = Annotated[str, typer.Argument(metavar="OLD", help="The bundle's name.")]
New = Annotated[str, typer.Argument(metavar="NEW", help="The name that it gets.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would change, and change nothing.")]

_TABLES = {"taskHistory": "attempts of tasks", "workflowRuns": "runs", "events": "events"}


def rename(old: Old, new: New, dry_run: DryRun = False) -> None:
    """Rename a bundle: its runs, its history, its events, the configuration and the schedule."""
    layers = config.read()
    if dry_run:
        is_there = config.database(layers).path.exists()
        with ledger.opened(layers) if is_there else nullcontext() as db:
            result = renaming.preview(old, new, db=db)
    else:
        with ledger.opened(layers) as db:
            result = renaming.rename(old, new, db=db, at=clock.now())
        result |= _followed(old, new)
    output.show(result, render=_lines)


def _followed(old: str, new: str) -> dict[str, Any]:
    from akm.tasks.firing import renamed

    synced = renamed.follow(old, new)
    if synced is None:
        return {}
    if not synced["ok"]:
        output.warn("The schedule does not follow yet: run `akm task sync` when the reason is gone.")
    return {"taskSync": synced}


def _lines(result: dict[str, Any]) -> Iterator[str]:
    old, new = result["oldId"], result["newId"]
    synced = result.get("taskSync")
    if result["applied"]:
        yield f"Bundle {old} is now {new}."
    elif result["dryRun"] and (result["config"]["bundle"] or any(result["state"].values())):
        yield f"Bundle {old} would become {new}; nothing was changed."
    elif synced is None:
        yield f"There is nothing to do: {new} is configured, and nothing is named {old}."
    moved = [f"{count} {_TABLES[table]}" for table, count in result["state"].items() if count]
    if moved:
        yield f"{'Moved' if result['applied'] else 'To be moved'}: {', '.join(moved)}."
    yield from (f"scheduled: {ref}" for ref in result["schedulerRefs"])
    if synced is not None:
        yield (
            "The schedule was synced." if synced["ok"] else f"The schedule was not synced: {_reason(synced)}"
        )
    if result["contentRefs"]:
        yield f"These files say {old}// and are left to you:"
        yield from (f"  {file}" for file in result["contentRefs"])


def _reason(synced: dict[str, Any]) -> str:
    failures = synced["result"]["failures"] if "result" in synced else []
    return str(synced.get("error") or "; ".join(failure["reason"] for failure in failures))
