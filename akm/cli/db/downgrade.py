"""`akm db downgrade`: take the schema back."""

from __future__ import annotations

from typing import Annotated

import typer

from akm import config
from akm.cli import output
from akm.errors import UsageError
from akm.store import care

Revision = Annotated[str, typer.Argument(metavar="REVISION", help="An older revision, or base for none.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do it even though rows are lost.")]


def downgrade(revision: Revision, yes: Yes = False) -> None:
    """Take the database back to an older revision, after a safety copy."""
    path = config.database(config.read()).path
    if revision == "base" and not yes:
        raise UsageError(
            f"Downgrading {path} to base removes every table with its rows.",
            hint="Add --yes to do it; a safety copy is kept beside the file.",
        )
    done = care.downgrade(path, revision)
    output.show(
        {"ok": True, **done},
        render=lambda result: [f"{result['path']} is at revision {result['revision'] or 'none'}."],
    )
