"""`akm db downgrade`: take the schema back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from akm import config
from akm.cli import output
from akm.engine.care import downgrading

Revision = Annotated[str, typer.Argument(metavar="REVISION", help="An older revision, or base for none.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do it even though rows or values are lost.")]


def downgrade(revision: Revision, yes: Yes = False) -> None:
    """Take the database back to an older revision, after a safety copy."""
    done = downgrading.take_back(config.database(config.read()).path, revision, may_lose=yes)
    output.show({"ok": True, **done}, render=_lines)


def _lines(result: dict[str, Any]) -> Iterator[str]:
    yield f"{result['path']} is at revision {result['revision'] or 'none'}."
    if result["backup"] is None:
        return
    yield f"What it held before is kept in {result['backup']}."
    yield "The next command of this akm that needs it brings it up again."
