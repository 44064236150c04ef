"""`akm db restore`: a backup becomes the database."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from akm import clock, config, paths
from akm.cli import output
from akm.engine.care import restoring

Backup = Annotated[str, typer.Argument(metavar="PATH", help="A file that `akm db backup` has written.")]


def restore(path: Backup) -> None:
    """Put a backup in the database's place and keep the old one beside it. Refused while it is in use."""
    wanted = config.database(config.read()).path
    paths.create(wanted.parent)
    backup = paths.absolute(path, paths.working_directory())
    done = restoring.put_back(wanted, backup, at=clock.now())
    output.show({"ok": True, **done}, render=_lines)


def _lines(done: dict[str, Any]) -> Iterator[str]:
    yield f"{done['path']} holds what {done['backup']} holds, at revision {done['revision']}."
    if done["kept"] is not None:
        yield f"What it held before is kept in {done['kept']}."
