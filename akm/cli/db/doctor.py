"""`akm db doctor`: look for everything that may be wrong with the database and what belongs to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from akm import config
from akm.cli import ledger, output
from akm.engine.care import doctor as examining
from akm.tasks.history import reading

RebuildUnits = Annotated[
    bool, typer.Option("--rebuild-units", help="First make the rows of units from the journal of attempts.")
]


def doctor(rebuild_units: RebuildUnits = False) -> int:
    """Check the file, its rows and the files beside it. Exits 1 when a person is needed."""
    layers = config.read()
    rebuilt = None
    if rebuild_units:
        with ledger.opened(layers) as db:
            rebuilt = examining.rebuild_units(db)
    found = examining.examine(config.database(layers).path, reading.is_alive)
    output.show({"ok": found["isSound"], **found, "rebuilt": rebuilt}, render=_lines)
    return 0 if found["isSound"] else 1


def _lines(result: dict[str, Any]) -> Iterator[str]:
    if result["rebuilt"] is not None:
        yield "Rows of units: {written} written from the journal, {deleted} deleted.".format(
            **result["rebuilt"]
        )
    for finding in result["findings"]:
        yield f"{finding['severity']}: {finding['message']}"
        yield from (f"  {example}" for example in finding["examples"])
        yield f"  {finding['remedy']}"
    if result["isSound"]:
        yield f"{result['path']} is sound."
