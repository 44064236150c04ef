"""What an unmarked row of the task history means is decided by the ledger that it comes from."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from builders import row
from old_databases import old, put_cached, put_history

from akm.store.database import Database
from akm.views import task_history
from akm.views.history_metadata import Warned
from akm.views.task_history import Reader

Adopt = Callable[..., dict[str, Any]]
PLAIN = '{ "durationMs" : 5, "profile": "x" } '
MARKED = '{ "durationMs" : 5, "profile": "x" ,"targetVocab":2}'


def shown(db: Database) -> dict[str, Any]:
    """Read the one attempt as `akm task history` shows it."""
    reader = Reader(is_alive=lambda _pid, _started: False, host="here", warned=Warned(lambda _text: None))
    (found,) = task_history.query(db, task_history.Filters(), reader)
    return found


@pytest.mark.parametrize(
    ("newest", "kind", "meant", "stored"),
    [
        (1, "command", "shell", "shell"),
        (24, "command", "shell", "shell"),
        (24, "prompt", "command", "command"),
        (24, "workflow", "workflow", "workflow"),
        (24, "script", "script", "script"),
        (25, "command", "command", "command"),
        (28, "shell", "shell", "shell"),
    ],
)
def test_an_unmarked_kind_is_written_as_what_it_means_today(
    db: Database, source: Path, taken: Adopt, newest: int, kind: str, meant: str, stored: str
) -> None:
    with old(source, newest) as made:
        put_history(made, target_kind=kind, metadata_json=PLAIN)
    taken()
    found = row(db, "SELECT target_kind, metadata_json FROM task_history")
    assert (found["target_kind"], found["metadata_json"]) == (stored, MARKED)
    assert shown(db)["target"]["kind"] == meant


@pytest.mark.parametrize(
    ("newest", "kind", "metadata"),
    [
        (24, "command", '{"durationMs": 5, "targetVocab": 2}'),
        (24, "command", '{"durationMs": 5, "targetVocab": 3}'),
        (24, "odd", PLAIN),
        (28, "prompt", PLAIN),
        (28, None, PLAIN),
    ],
)
def test_what_is_marked_or_says_nothing_keeps_its_text(
    db: Database, source: Path, taken: Adopt, newest: int, kind: str | None, metadata: str
) -> None:
    with old(source, newest) as made:
        put_history(made, target_kind=kind, metadata_json=metadata)
    taken()
    found = row(db, "SELECT target_kind, metadata_json FROM task_history")
    assert (found["target_kind"], found["metadata_json"]) == (kind, metadata)


def test_without_a_ledger_rows_come_as_they_are(db: Database, source: Path, taken: Adopt) -> None:
    with old(source) as made:
        put_cached(made, "https://one.example", "2026-05-01T10:00:00.000Z")
        put_history(made, metadata_json=PLAIN)
        made.execute("DROP TABLE schema_migrations")
    taken()
    found = row(db, "SELECT target_kind, metadata_json FROM task_history")
    assert (found["target_kind"], found["metadata_json"]) == ("command", PLAIN)


def test_a_row_that_was_never_closed_is_still_open(db: Database, source: Path, taken: Adopt) -> None:
    with old(source) as made:
        put_history(made, status="active", completed_at=None, target_kind=None)
    taken()
    assert (shown(db)["status"], shown(db)["open"]) == ("active", True)
    assert json.loads(row(db, "SELECT metadata_json FROM task_history")["metadata_json"]) == {"durationMs": 5}


def test_a_time_in_another_spelling_becomes_ours(db: Database, source: Path, taken: Adopt) -> None:
    with old(source, 1) as made:
        put_history(made, started_at="2026-05-01T12:00:00+02:00")
    for _again in range(2):
        taken()
        assert row(db, "SELECT started_at FROM task_history")["started_at"] == "2026-05-01T10:00:00.000Z"
