"""`akm workflow convert`: a workflow file of an older grammar, written anew in today's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from akm.cli import output

File = Annotated[str, typer.Argument(metavar="FILE", help="A workflow file of an older grammar.")]
Write = Annotated[bool, typer.Option("--write", help="Replace the file; the old one is kept as FILE.bak.")]


def convert(file: File, write: Write = False) -> None:
    """Print a workflow file of an older grammar in today's, or replace it."""
    from akm import paths
    from akm.engine.files import converting

    path = paths.absolute(file, paths.working_directory())
    made = converting.convert(path)
    notes = (
        made.notes if made.is_changed else (f"{path} is in today's grammar: there is nothing to convert.",)
    )
    for note in notes:
        output.tell(note)
    text = made.text or ""
    if not write and output.asked() in (None, "text"):
        output.raw(text)
        return
    result: dict[str, Any] = {"ok": True, "path": str(path), "text": text, "notes": [*notes]}
    if write and made.is_changed:
        result["backup"] = str(converting.write(path, text))
    output.show(result, render=_lines)


def _lines(done: dict[str, Any]) -> Iterator[str]:
    if "backup" in done:
        yield f"Wrote {done['path']}; the old file is {done['backup']}."
