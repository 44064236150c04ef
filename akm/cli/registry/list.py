"""`akm registry list`: which registries there are."""

from __future__ import annotations

from typing import Any

from akm import config
from akm.cli import output
from akm.cli.tables import Table
from akm.registry import sources


def list() -> None:
    """List the registries, those that are switched off too."""
    layers = config.read()
    known = sources.known(layers, config.load(layers=layers))
    for warning in known.warnings:
        output.warn(warning)
    output.show(
        {
            "registries": [source.as_json() for source in known.sources],
            "warnings": [*known.warnings],
        },
        render=lambda result: (table(result),),
        items="registries",
    )


def table(result: dict[str, Any]) -> Table:
    """Lay out the registries of a result."""
    rows = [
        (
            source["name"],
            "on" if source["enabled"] else "off",
            source["provider"],
            source["url"] + (" (may be private)" if source["allowPrivate"] else ""),
            source["origin"],
        )
        for source in result["registries"]
    ]
    empty = "There is no registry: add one with `akm registry add URL`."
    return Table(("registry", "asked", "provider", "url", "where from"), rows, empty)
