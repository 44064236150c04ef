"""`akm workflow import`: a run that another ledger has exported."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from akm import config
from akm.cli import ledger, output
from akm.engine.care import importing

File = Annotated[str, typer.Argument(metavar="FILE", help="What `akm workflow export` has written.")]


def import_(file: File) -> None:
    """Take over an exported run with its children: same ids, same states. Nothing of it is executed."""
    with ledger.opened(config.read()) as db:
        taken = importing.take(db, Path(file))
    output.show({"ok": True, **taken}, render=_lines)


def _lines(taken: dict[str, Any]) -> Iterator[str]:
    held = ", ".join(f"{count} {name}" for name, count in taken["counts"].items())
    done = "is taken over" if taken["changed"] else "is here already, and nothing was changed"
    yield f"Run {taken['run']} of {taken['workflowRef']} ({taken['status']}) {done}: {held}."
    if "obstacle" in taken:
        yield f"It can be shown, and not be gone on with here: {taken['obstacle']}."
