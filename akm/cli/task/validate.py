"""`akm task validate`: what a file is, as a task."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from akm.cli import output

File = Annotated[str, typer.Argument(metavar="PATH", help="A file, wherever it is.")]


def validate(path: File) -> int:
    """Check a task file without running it. Exits 1 unless it is valid, 2 when it cannot be read."""
    from akm.cli.workflow import surroundings
    from akm.tasks import catalog
    from akm.tasks import validate as validating

    work = surroundings.here()
    file = catalog.owner(work.cwd / Path(path), bundles=work.bundles, anchor=work.anchor)
    result = validating.validate(file, work)
    output.show(result, render=_lines)
    return 0 if result["ok"] else 1


def _lines(result: dict[str, Any]) -> Iterator[str]:
    yield f"{result['path']}: {result['outcome']}"
    yield from (result[key] for key in ("reason", "hint") if result.get(key))
    for key in result.get("resolved", {}).get("notApplied", ()):
        yield f"`{key}` changes nothing for this task."
