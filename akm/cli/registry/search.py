"""`akm registry search`: one list of what all registries offer."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from akm.cli import output
from akm.cli.registry import asked, lines
from akm.cli.tables import Table

if TYPE_CHECKING:
    from akm.registry.search import SearchResult

Query = Annotated[list[str], typer.Argument(metavar="QUERY...", help="Words to look for.")]
Assets = Annotated[bool, typer.Option("--assets", help="Look for single assets in the bundles as well.")]
Limit = Annotated[int, typer.Option("--limit", metavar="N", help="At most so many, up to 100.")]


def search(
    query: Query,
    assets: Assets = False,
    registry: asked.Registry = None,
    limit: Limit = 20,
    offline: asked.Offline = False,
) -> int:
    """Search all registries that are switched on, and say how each of them answered.

    Exit 1 when every one failed.
    """
    from akm.registry import search as searching

    sources, open_cache, ignored = asked.asked(registry)
    found = searching.search(
        " ".join(query), sources=sources, open_cache=open_cache, limit=limit, assets=assets, offline=offline
    )
    lines.report(found.outcomes)
    output.show(
        {
            "ok": found.exit_status == 0,
            **found.as_json(),
            "warnings": [*ignored, *found.warnings],
        },
        render=partial(_parts, found=found, assets=assets),
        items="assetHits" if assets else "hits",
    )
    return found.exit_status


def _parts(result: dict[str, Any], *, found: SearchResult, assets: bool) -> Iterator[str | Table]:
    ages = lines.ages(found.outcomes)
    empty = "No registry gave an answer." if found.exit_status else "No bundle was found."
    rows = [
        (hit["title"], lines.short(hit.get("description", "")), hit["registryName"], hit["installRef"])
        for hit in result["hits"]
    ]
    columns = ("name", "description", "source", "install", "age")
    yield Table(columns, [(*row, ages[row[2]]) for row in rows], empty, whole=("install",))
    if assets and not found.exit_status:
        yield ""
        yield Table(
            ("asset", "type", *columns[1:]), _assets(result, ages), "No asset was found.", ("install",)
        )
    if rows or result["assetHits"]:
        yield "\nInstall one with `akm bundle add` and what stands under INSTALL."


def _assets(result: dict[str, Any], ages: dict[str, str]) -> list[tuple[str, ...]]:
    return [
        (
            hit["assetName"],
            hit["assetType"],
            lines.short(hit.get("description", "")),
            hit["registryName"],
            hit["installRef"],
            ages[hit["registryName"]],
        )
        for hit in result["assetHits"]
    ]
