"""`akm registry refresh`: ask for every index now."""

from __future__ import annotations

from typing import Any

from akm.cli import durations, output
from akm.cli.registry import asked, lines
from akm.cli.tables import Table


def refresh(registry: asked.Registry = None) -> int:
    """Ask every registry with an index whether it has changed, whatever the age of what is kept.

    Exit 1 when one did not answer; what is kept of it stays.
    """
    from akm.registry import refresh as refreshing

    sources, open_cache, _ = asked.asked(registry)
    outcomes = refreshing.refresh(sources, open_cache=open_cache)
    has_failed = any(one.status != "fresh" for one in outcomes)
    lines.report(outcomes)
    output.show(
        {"ok": not has_failed, "registries": [one.as_json() for one in outcomes]},
        render=_table,
        items="registries",
    )
    return int(has_failed)


def _table(result: dict[str, Any]) -> tuple[Table]:
    rows = [
        (
            one["registry"],
            one["status"],
            one["count"],
            None if one["status"] == "failed" else durations.age(one.get("ageSeconds")),
            one["url"],
        )
        for one in result["registries"]
    ]
    empty = "No registry that is switched on has an index."
    return (Table(("registry", "status", "bundles", "age", "url"), rows, empty),)
