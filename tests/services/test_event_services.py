"""Recording events that belong to no other act."""

from __future__ import annotations

import json
import sqlite3

import pytest
from builders import AT, later, row, rows

from akm.errors import TransientError
from akm.services import events
from akm.store.database import Database
from akm.store.opening import open_database


def test_an_event_is_written_as_given(db: Database) -> None:
    events.record(db, "env_access", at=AT, ref="team//env/prod", metadata={"keys": "A,B"})
    event = row(db, "SELECT * FROM events")
    assert (event["event_type"], event["ts"], event["ref"]) == ("env_access", AT, "team//env/prod")
    assert json.loads(event["metadata_json"]) == {"keys": "A,B"}
    assert event["idempotency_key"] is None


def test_an_event_is_recorded_once_per_type_and_key(db: Database) -> None:
    landed = [
        events.record_once(db, kind, key, at=later(turn), metadata={"turn": turn})
        for turn, (kind, key) in enumerate([("a", "k"), ("a", "k"), ("b", "k"), ("a", "other")])
    ]
    assert landed == [True, False, True, True]
    assert [json.loads(event["metadata_json"])["turn"] for event in rows(db, "SELECT * FROM events")] == [
        0,
        2,
        3,
    ]


def test_a_best_effort_event_complains_once_and_goes_on(db: Database) -> None:
    complaints: list[str] = []
    holder = sqlite3.connect(db.path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with open_database(db.path, synchronous="normal", busy_seconds=0) as other:
        landed = events.try_record(other, "env_access", at=AT, metadata={}, complain=complaints.append)
        with pytest.raises(TransientError):
            events.record(other, "env_access", at=AT, metadata={})
    holder.close()
    assert not landed
    assert len(complaints) == 1
    assert complaints[0].startswith("The event env_access was not recorded: The database ")
    assert events.try_record(db, "env_access", at=AT, metadata={}, complain=complaints.append)
    assert len(complaints) == 1
