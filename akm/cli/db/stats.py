"""`akm db stats`: what the database holds, and how much of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from akm import config
from akm.cli import output
from akm.cli.tables import Table
from akm.store import stats as measured


def stats() -> None:
    """Show rows, bytes, oldest and newest entry of every table, and the biggest runs. Changes nothing."""
    found = measured.measure(config.database(config.read()).path)
    output.show({"ok": True, **found}, render=_lines)


def _lines(found: dict[str, Any]) -> Iterator[str | Table]:
    yield f"file      {found['path']}"
    yield f"revision  {found['revision']}"
    yield f"journal   {found['journalMode']}"
    yield f"size      {found['bytes']:,} bytes, of which {found['freeBytes']:,} are free"
    yield f"log       {found['walBytes']:,} bytes not yet merged\n"
    rows = [
        (table["name"], f"{table['rows']:,}", f"{table['bytes']:,}", table["oldest"], table["newest"])
        for table in found["tables"]
    ]
    column = "bytes" if found["bytesFrom"] == "pages" else "bytes (estimated)"
    yield Table(("table", "rows", column, "oldest", "newest"), rows, "It has no tables.")
    yield ""
    runs = [(run["id"], run["workflowRef"], f"{run['bytes']:,}") for run in found["biggestRuns"]]
    yield Table(("biggest runs", "workflow", "bytes"), runs, "It holds no runs.")
    if found["runsMeasured"] < found["runs"]:
        yield f"\nOnly the newest {found['runsMeasured']:,} of {found['runs']:,} runs were measured in time."
