"""`akm db current`: which revision the database has."""

from __future__ import annotations

from akm import config
from akm.cli import output
from akm.store import care


def current() -> None:
    """Show the database's revision and this akm's. Changes nothing."""
    state = care.current(config.database(config.read()).path)
    output.show(
        {"ok": True, **state},
        render=lambda result: [
            f"{result['path']} is at revision {result['revision'] or 'none'}; this akm has {result['head']}."
        ],
    )
