"""`akm db backup`: a copy of the database, taken while it is being written."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from akm import config, paths
from akm.cli import output
from akm.store import backup as backups

Target = Annotated[str, typer.Argument(metavar="PATH", help="The file to write; its folder must exist.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite the file if it exists.")]


def backup(path: Target, force: Force = False) -> None:
    """Copy the database into one file, while others go on writing to it, and check the copy."""
    target = paths.absolute(path, paths.working_directory())
    done = backups.write(config.database(config.read()).path, target, force=force)
    output.show({"ok": True, **done}, render=_lines)


def _lines(done: dict[str, Any]) -> list[str]:
    held = f"{done['bytes']:,} bytes, {done['rows']:,} rows, revision {done['revision']}"
    return [f"{done['path']} is backed up in {done['backup']}: {held}; the copy is sound."]
