"""`akm bundle remove`: take a bundle out of the configuration; its folder stays."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import typer

from akm.bundles import configured
from akm.cli import output

Name = Annotated[str, typer.Argument(metavar="NAME", help="The bundle's name.")]


def remove(name: Name) -> None:
    """Take a bundle out of the user's configuration file. Its folder and its runs stay."""
    bundle = configured.remove(name)
    output.show({"ok": True, "bundle": asdict(bundle) | {"path": str(bundle.path)}}, render=_lines)


def _lines(result: dict[str, Any]) -> list[str]:
    bundle = result["bundle"]
    return [f"Bundle {bundle['name']} is not configured any more; {bundle['path']} is untouched."]
