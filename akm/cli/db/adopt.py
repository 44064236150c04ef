"""`akm db adopt`: take the database of an akm-cli over."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Annotated, Any

import typer

from akm import clock, config
from akm.adopting import adopt as adopting
from akm.cli import ledger, output
from akm.cli.tables import Table
from akm.spelling import counted
from akm.store import foreign, rehearsal
from akm.store.database import Database

File = Annotated[Path, typer.Argument(metavar="FILE", help="The database of akm-cli, such as its state.db.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say what would come.")]
_SHOWN = 20


def adopt(file: File, dry_run: DryRun = False) -> None:
    """Copy runs, events and task history of akm-cli into the database. FILE is only read."""
    layers = config.read()
    with foreign.opened(file) as source, _ledger(layers, dry_run) as db:
        report = adopting.adopt(db, source, at=clock.now(), is_dry=dry_run)
    if report["ledger"]["unknown"]:
        output.warn(
            f"{report['source']} was written by a newer akm-cli than this akm knows "
            f"({', '.join(report['ledger']['unknown'])}); what is new in it was not read."
        )
    output.show({"ok": True, **report}, render=lines)


def _ledger(layers: config.Layers, dry_run: bool) -> AbstractContextManager[Database]:
    return rehearsal.copied(config.database(layers).path) if dry_run else ledger.opened(layers)


def lines(report: dict[str, Any]) -> Iterator[str | Table]:
    """Render a report for people."""
    come = "would come" if report["dryRun"] else "came"
    tables = {name: counts for name, counts in report["tables"].items() if any(counts.values())}
    yield f"From {report['source']} (akm-cli, migration {report['ledger']['newest'] or 'unknown'}):"
    rows = [_row(name, counts) for name, counts in tables.items()]
    yield Table(("table", "found", come, "there already", "left behind"), rows, "Nothing was found in it.")
    yield from _made(tables)
    unfinished = [run for run in report["runs"] if "reason" in run or run["continuable"]]
    yield from _runs(unfinished)
    if report["leftCount"]:
        yield ""
        yield Table(
            ("left behind", "which", "why"), [tuple(left.values()) for left in _first(report["left"])]
        )
        yield from _more(report["leftCount"])
    if report["dryRun"]:
        yield ""
        yield "Nothing was written. Do it: the same command without --dry-run."


def _row(name: str, counts: dict[str, int]) -> tuple[object, ...]:
    return name, counts["found"], counts["copied"], counts["duplicates"], counts["left"]


def _made(tables: dict[str, dict[str, int]]) -> Iterator[str]:
    for name, counts in tables.items():
        if not counts["copied"]:
            continue
        if "reconstructed" in counts:
            made = f"row of {name} was made", f"rows of {name} were made"
            yield f"{counted(counts['reconstructed'], *made)} from what else is known."
        if "folded" in counts:
            yield counted(
                counts["folded"],
                f"row of {name} became an attempt of another unit.",
                f"rows of {name} became attempts of one unit.",
            )


def _runs(runs: list[dict[str, Any]]) -> Iterator[str | Table]:
    if not runs:
        return
    yield ""
    rows = [
        (run["id"][:8], run["ref"], run["status"], "yes" if run["continuable"] else f"no: {run['reason']}")
        for run in _first(runs)
    ]
    yield Table(("run", "workflow", "status", "can be gone on with"), rows)
    yield from _more(len(runs))


def _first(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return rows[:_SHOWN]


def _more(count: int) -> Iterator[str]:
    if count > _SHOWN:
        yield f"and {count - _SHOWN} more; --format json names them."
