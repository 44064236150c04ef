"""`akm bundle show`: one bundle in full."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from akm.bundles import show as showing
from akm.cli import output
from akm.cli.tables import Table

Name = Annotated[str, typer.Argument(metavar="NAME", help="The bundle's name.")]

_LABELS = {"path": "folder", "origin": "configured in", "source": "source", "ref": "ref", "commit": "commit"}


def show(name: Name) -> None:
    """Show where a bundle is, where it came from, and what it holds."""
    output.show(showing.show(name), render=_parts)


def _parts(bundle: dict[str, Any]) -> Iterator[str | Table]:
    yield f"Bundle {bundle['name']}" + ("" if bundle["exists"] else ", whose folder is missing")
    if bundle["description"]:
        yield bundle["description"]
    yield from (f"{label}: {bundle[key]}" for key, label in _LABELS.items() if key in bundle)
    rows = [
        (kind, held["count"], ", ".join(held["names"]))
        for kind, held in bundle["contents"].items()
        if held["count"]
    ]
    yield Table(("holds", "count", "names"), rows, "It holds nothing that akm knows.")
