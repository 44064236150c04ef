"""`akm db upgrade`: bring the schema up to date."""

from __future__ import annotations

from akm import config, paths
from akm.cli import output
from akm.store import care


def upgrade() -> None:
    """Create the database, or bring it to the newest revision after a safety copy."""
    wanted = config.database(config.read())
    paths.create(wanted.path.parent)
    done = care.upgrade(wanted.path)
    output.show(
        {"ok": True, **done},
        render=lambda result: [f"{result['path']} is at revision {result['revision']}."],
    )
