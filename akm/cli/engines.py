"""`akm engines`: the configured engines, whether each can be used, and the presets that are left."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from akm.cli import output
from akm.cli.tables import Table


def engines() -> None:
    """List the configured engines, which of them can be used here, and the presets that no engine uses."""
    from akm.cli.workflow import surroundings
    from akm.engine import engine_report

    output.show(engine_report.report(surroundings.here()), render=_lines, items="engines")


def _lines(result: dict[str, Any]) -> Iterator[str | Table]:
    rows = [
        (
            one["name"],
            one["kind"],
            one["preset"] or one["url"],
            one["model"],
            one["status"],
            one["configured"],
        )
        for one in result["engines"]
    ]
    empty = (
        'No engine is configured: add [engines.NAME] with kind = "agent" and a preset, or kind = "llm", '
        "to a configuration file (see `akm config path`)."
    )
    yield Table(("engine", "kind", "preset or URL", "model", "status", "where from"), rows, empty)
    if result["presets"]:
        yield ""
        left = [
            (one["preset"], one["program"], "yes" if one["installed"] else "no") for one in result["presets"]
        ]
        yield Table(("available preset", "program", "installed"), left)
