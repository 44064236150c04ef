"""`akm db current`: which revision the database has."""

from __future__ import annotations

from typing import Any

from akm import config
from akm.cli import output
from akm.store import care


def current() -> None:
    """Show the database's revision and this akm's. Changes nothing."""
    state = care.current(config.database(config.read()).path)
    output.show({"ok": True, **state}, render=lambda result: [_line(result)])


def _line(result: dict[str, Any]) -> str:
    if result["revision"] is None:
        return f"{result['path']} has no tables yet; the first run makes them, at revision {result['head']}."
    return f"{result['path']} is at revision {result['revision']}; this akm has {result['head']}."
