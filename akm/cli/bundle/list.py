"""`akm bundle list`: the configured bundles, in the order in which refs are looked up."""

from __future__ import annotations

from typing import Any

from akm import config
from akm.bundles import configured
from akm.cli import output
from akm.cli.tables import Table


def list() -> None:
    """List the configured bundles in the order in which refs are looked up."""
    bundles = configured.configured(config.read())
    output.show(
        {"bundles": [bundle.shown() for bundle in bundles]},
        render=_table,
        items="bundles",
    )


def _table(result: dict[str, Any]) -> tuple[Table]:
    rows = [
        (
            bundle["name"],
            bundle["workflows"] if bundle["exists"] else "missing",
            bundle["path"],
            bundle.get("commit", "")[:12],
            bundle["origin"],
        )
        for bundle in result["bundles"]
    ]
    empty = "No bundle is configured: add one with `akm bundle add SOURCE`."
    return (Table(("bundle", "workflows", "path", "commit", "where from"), rows, empty),)
