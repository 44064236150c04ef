"""Opening the ledger that the configuration names, for one command."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from akm import config, paths
from akm.cli import output
from akm.store.database import Database
from akm.store.opening import open_database


@contextmanager
def opened(layers: config.Layers | None = None) -> Iterator[Database]:
    """Open the ledger, say its warnings, and close it at the block's end."""
    wanted = config.database(config.read() if layers is None else layers)
    paths.create(wanted.path.parent)
    with open_database(wanted.path, synchronous=wanted.synchronous) as db:
        for warning in db.warnings:
            output.warn(warning)
        yield db
