"""A throw-away copy of the ledger, for acts that only say what they would do. The ledger is only read."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from akm.store.connect import connect, translated
from akm.store.database import Database
from akm.store.opening import open_database


@contextmanager
def copied(path: Path) -> Iterator[Database]:
    """Open a copy of the ledger at `path`, at this build's revision; an empty one where there is none."""
    with tempfile.TemporaryDirectory(prefix="akm-rehearsal-") as folder:
        copy = Path(folder) / "state.db"
        if path.exists():
            with (
                translated(path),
                closing(connect(path, read_only=True)) as ours,
                closing(connect(copy)) as made,
            ):
                ours.backup(made)
        # Nobody will ever miss what a power cut takes from it.
        with open_database(copy, synchronous="off") as db:
            yield db
