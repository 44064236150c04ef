"""`akm registry build-index`: make the index that a registry publishes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from akm import clock, paths
from akm.cli import output
from akm.spelling import counted

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A bundle, or a folder of bundles.")]
Out = Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write it there, not to the output.")]


def build_index(folder: Folder, out: Out = None) -> None:
    """Make an index of the bundle that a folder is, or of those in it, as one JSON file."""
    from akm.registry import build_index as building
    from akm.registry import index_file

    cwd = paths.working_directory()
    index = building.build(paths.absolute(str(folder), cwd), at=clock.now())
    if out is None:
        output.raw(index_file.text(index))
        return
    file = paths.absolute(str(out), cwd)
    index_file.write(file, index)
    count = len(index["stashes"])
    output.show(
        {"ok": True, "file": str(file), "bundles": count},
        render=lambda _: [f"Wrote {file}, with {counted(count, 'bundle')}."],
    )
