"""`akm bundle add`: configure a folder as a bundle."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from akm import paths
from akm.bundles import configured
from akm.cli import output

Name = Annotated[
    str, typer.Argument(metavar="NAME", help="How refs name the bundle, as in NAME//workflows/x.")
]
Folder = Annotated[str, typer.Argument(metavar="PATH", help="The folder that holds workflows/.")]


def add(name: Name, path: Folder) -> None:
    """Add a folder as a bundle to the user's configuration file."""
    folder = Path(path) if path.startswith(("/", "~")) else paths.working_directory() / path
    bundle = configured.add(name, paths.absolute(str(folder), Path("/")))
    output.show({"ok": True, "bundle": asdict(bundle) | {"path": str(bundle.path)}}, render=_lines)


def _lines(result: dict[str, Any]) -> list[str]:
    bundle = result["bundle"]
    return [f"Bundle {bundle['name']} is {bundle['path']}, with {bundle['workflows']} workflows."]
