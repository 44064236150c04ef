"""`akm db check`: is the database sound."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from akm import config
from akm.cli import output
from akm.store import care


def check() -> int:
    """Check the file's integrity, its references, its revision and its schema. Exits 1 when one is wrong."""
    state = care.check(config.database(config.read()).path)
    output.show({"ok": not state["problems"], **state}, render=_lines)
    return 1 if state["problems"] else 0


def _lines(result: dict[str, Any]) -> Iterator[str]:
    yield from result["problems"]
    if not result["problems"]:
        yield f"{result['path']} is sound, at revision {result['revision']}."
