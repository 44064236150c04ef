"""What renaming a bundle costs for each row of the history that it moves."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from itertools import cycle
from pathlib import Path

from akm.services import bundle_rename
from akm.store.opening import open_database
from tests.bench.dispatches import migrated
from tests.bench.measure import Row, interleaved
from tests.bench.size import Size
from tests.builders import AT

# One row of ten is of the bundle, scattered among the others as where tasks take turns.
_ONE_OF = 10
_ROWS = (
    "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?) "
    "INSERT INTO task_history (task_id, status, started_at, completed_at, target_kind, target_ref, bundle) "
    "SELECT 'task-' || (i % 50), 'completed', '2026-01-01T00:00:00.' || printf('%09d', i), "
    "'2026-01-01T00:00:00.000Z', 'workflow', "
    f"CASE i % {_ONE_OF} WHEN 0 THEN 'team' ELSE 'other' || (i % 7) END || '//workflows/w' || (i % 50), "
    f"CASE i % {_ONE_OF} WHEN 0 THEN 'team' ELSE 'other' || (i % 7) END FROM n"
)


def row(folder: Path, size: Size) -> Row:
    """Rename a bundle there and back again in a long history."""
    path = migrated(folder / "renaming.db")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(_ROWS, (size.attempts,))
    names = cycle((("team", "crew"), ("crew", "team")))
    moved = 0
    with open_database(path) as db:

        def rename() -> None:
            nonlocal moved
            moved = bundle_rename.rename(db, *next(names), at=AT).task_history

        medians = interleaved({"rename": rename}, size.repetitions)
    path.unlink()
    what = f"bundle rename in {size.attempts:,} rows of history, for each row moved"
    return Row(what, medians["rename"] / moved * 1e6, 40, unit="us", note=f"{moved:,} moved")
