"""`akm bundle update`: move bundles that came from git to what their source holds now."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from akm.cli import ledger, output
from akm.cli.bundle import lines

Name = Annotated[
    str | None, typer.Argument(metavar="NAME", help="Only this bundle; else every one that came from git.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would change, and change nothing.")]


def update(name: Name = None, dry_run: DryRun = False) -> int:
    """Fetch what the refs of the bundles' sources mean now, and move the bundles there."""
    from akm.bundles import update as updating

    if name is None:
        done = updating.update_all(ledger.opened, dry_run=dry_run)
    else:
        done = [updating.update(name, ledger.opened, dry_run=dry_run)]
    has_failed = any(one.error is not None for one in done)
    result = {"ok": not has_failed, "dryRun": dry_run, "bundles": [one.shown() for one in done]}
    output.show(result, render=_lines, items="bundles")
    return int(has_failed)


def _lines(result: dict[str, Any]) -> Iterator[str]:
    if not result["bundles"]:
        yield "No configured bundle came from git."
    for bundle in result["bundles"]:
        yield from lines.changes(bundle)
