"""`akm bundle remove`: take a bundle out of the configuration, and delete its clone when asked."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from akm.cli import output

Name = Annotated[str, typer.Argument(metavar="NAME", help="The bundle's name.")]
Delete = Annotated[bool, typer.Option("--delete", help="Delete its folder too, which akm has cloned.")]


def remove(name: Name, delete: Delete = False) -> None:
    """Take a bundle out of the user's configuration file. Its runs stay, and so does its folder."""
    from akm.bundles import removing

    removed = removing.remove(name, delete=delete)
    output.show({"ok": True, **removed.shown()}, render=_lines)


def _lines(result: dict[str, Any]) -> list[str]:
    bundle = result["bundle"]
    ending = "is untouched"
    if result["deleted"]:
        ending = "is deleted"
    elif result["isClone"]:
        ending = "stays; with --delete it would be deleted"
    return [f"Bundle {bundle['name']} is not configured any more; {bundle['path']} {ending}."]
