"""The log."""

from __future__ import annotations

import pytest
from builders import AT, REF, attempt, later, publish

from akm.services import events, runs
from akm.store.database import Database
from akm.views import events as log_views
from akm.views.events import EventFilters


def logged(db: Database, **filters: object) -> list[int]:
    found, _cursor = log_views.log(db, EventFilters()._replace(**filters))
    return [event["id"] for event in found]


def three(db: Database) -> None:
    events.record(db, "a", at=later(1), ref="r1", metadata={"runId": "one"})
    events.record(db, "b", at=later(2), ref="r1", metadata={"runId": "two"})
    events.record(db, "a", at=later(3), metadata={})


@pytest.mark.parametrize(
    ("filters", "ids"),
    [
        ({}, [1, 2, 3]),
        ({"event_type": "a"}, [1, 3]),
        ({"ref": "r1"}, [1, 2]),
        ({"ref": "r1", "event_type": "b"}, [2]),
        ({"run_id": "two"}, [2]),
        ({"since": later(2)}, [2, 3]),
        ({"after": 2}, [3]),
        ({"limit": 2}, [2, 3]),
        ({"event_type": "nosuch"}, []),
        ({"ref": "x' OR 1=1 --"}, []),
        ({"run_id": "one", "event_type": "b"}, []),
    ],
)
def test_filters_combine_and_the_newest_are_kept_in_order(
    db: Database, filters: dict[str, object], ids: list[int]
) -> None:
    three(db)
    assert logged(db, **filters) == ids


def test_the_cursor_goes_on_where_the_log_ended(db: Database) -> None:
    assert log_views.last_id(db) == 0
    three(db)
    _found, cursor = log_views.log(db, EventFilters())
    assert cursor == log_views.last_id(db) == 3
    assert log_views.log(db, EventFilters(after=cursor)) == ([], 3)


def test_the_log_of_a_run_holds_all_its_events_and_no_others(db: Database) -> None:
    run_id = publish(db, created_at=later(1))
    attempt(db, run_id, at=later(2))
    publish(db, created_at=later(1))
    found, _cursor = log_views.log(db, EventFilters(run_id=run_id))
    assert [event["eventType"] for event in found] == [
        "workflow_started",
        "workflow_unit_started",
        "workflow_unit_finished",
    ]


def test_an_event_is_shown_without_what_it_lacks(db: Database) -> None:
    run_id = publish(db)
    events.record(db, "bare", at=AT, metadata={})
    db.connection.execute("INSERT INTO events (event_type, ts, metadata_json) VALUES ('hurt', 't', '[')")
    (full, bare, hurt), _cursor = log_views.log(db, EventFilters())
    assert full == {
        "schemaVersion": 1,
        "id": 1,
        "ts": AT,
        "eventType": "workflow_started",
        "ref": REF,
        "metadata": {"runId": run_id, "status": "active"},
    }
    assert bare == {"schemaVersion": 1, "id": 2, "ts": AT, "eventType": "bare"}
    assert hurt == {"schemaVersion": 1, "id": 3, "ts": "t", "eventType": "hurt"}


def test_damaged_metadata_does_not_break_the_log_of_a_run(db: Database) -> None:
    run_id = publish(db)
    db.connection.execute(
        "INSERT INTO events (event_type, ts, ref, metadata_json) VALUES ('hurt', ?, ?, '[')", (later(1), REF)
    )
    found, _cursor = log_views.log(db, EventFilters(run_id=run_id))
    assert [event["eventType"] for event in found] == ["workflow_started"]


def test_the_log_of_a_run_survives_a_clock_that_was_set_back(db: Database) -> None:
    events.record(db, "earlier", at=AT, ref=REF, metadata={})
    run_id = publish(db, created_at=later(60))
    attempt(db, run_id, at=later(1))
    found, cursor = log_views.log(db, EventFilters(run_id=run_id))
    assert [event["id"] for event in found] == [2, 3, 4]
    assert log_views.log(db, EventFilters(run_id=run_id, after=cursor)) == ([], cursor)
    assert log_views.log(db, EventFilters(run_id=run_id, event_type="nosuch")) == ([], 0)


def test_a_run_was_resumed_after_units_that_ended_before_by_the_order_of_events(db: Database) -> None:
    run_id, other = publish(db), publish(db)
    attempt(db, run_id, "one", status="failed")
    assert not log_views.resumed_after(db, run_id, {"one"})
    runs.abandon(db, run_id, at=AT)
    runs.resume(db, run_id, at=AT)
    attempt(db, run_id, "two")
    attempt(db, other, "one")
    assert log_views.resumed_after(db, run_id, {"one"})
    assert not log_views.resumed_after(db, run_id, {"one", "two"})
    assert not log_views.resumed_after(db, other, {"one"})
