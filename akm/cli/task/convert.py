"""`akm task convert`: a task file of an older version, written anew in version 4."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from akm.cli import output

File = Annotated[str, typer.Argument(metavar="FILE", help="A task file of an older version.")]
Write = Annotated[bool, typer.Option("--write", help="Replace the file; the old one is kept as FILE.bak.")]


def convert(path: File, write: Write = False) -> None:
    """Print a task file of an older version as version 4, or replace it."""
    from akm.cli.workflow import surroundings
    from akm.tasks import catalog
    from akm.tasks.files import convert as converting

    work = surroundings.here()
    file = catalog.owner(work.cwd / Path(path), bundles=work.bundles, anchor=work.anchor)
    converted = converting.convert(file)
    for note in converted.notes:
        output.tell(note)
    if not write:
        output.raw(converted.text)
        return
    backup = converting.write(file, converted)
    result: dict[str, Any] = {"ok": True, "path": str(file.path), "backup": str(backup)}
    output.show(
        result | {"notes": [*converted.notes]},
        render=lambda done: [f"Wrote {done['path']}; the old file is {done['backup']}."],
    )
