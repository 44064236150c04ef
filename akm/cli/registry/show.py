"""`akm registry show`: one bundle of a registry in full."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Annotated, Any

import typer

from akm.cli import output
from akm.cli.registry import asked, lines
from akm.cli.tables import Table

Id = Annotated[
    str, typer.Argument(metavar="ID", help="A bundle's id, such as github:owner/name, or its name.")
]

_TOLD = {
    "version": "version",
    "author": "author",
    "license": "license",
    "assetTypes": "holds",
}


def show(id: Id, registry: asked.Registry = None, offline: asked.Offline = False) -> None:
    """Show what registries say of one bundle, each asset in it, and how it is installed."""
    from akm.registry import entry

    sources, open_cache, ignored = asked.asked(registry)
    found = entry.find(id, sources=sources, open_cache=open_cache, offline=offline)
    lines.report(found.outcomes)
    output.show(
        found.as_json() | {"warnings": [*ignored, *found.warnings]},
        render=partial(_parts, ages=lines.ages(found.outcomes)),
        items="entries",
    )


def _parts(result: dict[str, Any], *, ages: dict[str, str]) -> Iterator[str | Table]:
    for number, bundle in enumerate(result["entries"]):
        if number:
            yield ""
        yield bundle["title"]
        if "description" in bundle:
            yield bundle["description"]
        yield from _facts(bundle, ages)
        rows = [
            (asset["assetName"], asset["assetType"], lines.short(asset.get("description", "")))
            for asset in bundle["assets"]
        ]
        yield Table(("asset", "type", "description"), rows, "Its registry lists no single assets.")


def _facts(bundle: dict[str, Any], ages: dict[str, str]) -> Iterator[str]:
    yield f"id:       {bundle['id']}"
    yield f"registry: {bundle['registryName']} (age: {ages[bundle['registryName']]})"
    if "homepage" in bundle:
        yield f"homepage: {bundle['homepage']}"
    for key, label in _TOLD.items():
        if key in bundle.get("metadata", {}):
            yield f"{label + ':':9} {bundle['metadata'][key]}"
    if bundle["source"] == "npm":
        yield f"install:  {bundle['installRef']}, with npm: `akm bundle add` takes no packages of npm"
    else:
        yield f"install:  akm bundle add {bundle['installRef']}"
