"""Starting runs and their children."""

from __future__ import annotations

import json

import pytest
from builders import (
    AT,
    REF,
    SCOPE,
    a_child,
    a_run,
    a_spine,
    dump,
    event_types,
    publish,
    row,
    rows,
)

from akm.errors import UsageError
from akm.services import runs
from akm.store.database import Database

RUN = "SELECT * FROM workflow_runs WHERE id = ?"


def test_a_run_is_born_with_its_plan_its_pending_steps_and_one_event(db: Database) -> None:
    run = a_run()
    runs.publish(db, run, a_spine(2), refs=(REF,))
    stored = row(db, RUN, run.id)
    assert {name: stored[name] for name in run._fields} == run._asdict()
    assert stored["completed_at"] is None
    spine = rows(db, "SELECT * FROM workflow_run_steps ORDER BY sequence_index")
    assert [(step["step_id"], step["status"]) for step in spine] == [
        ("step-1", "pending"),
        ("step-2", "pending"),
    ]
    (event,) = rows(db, "SELECT * FROM events")
    assert (event["event_type"], event["ts"], event["ref"]) == ("workflow_started", AT, REF)
    assert json.loads(event["metadata_json"]) == {"runId": run.id, "status": "active"}


def test_a_second_start_in_a_scope_names_the_active_run(db: Database) -> None:
    first = a_run()
    runs.publish(db, first, a_spine(), refs=(REF,))
    before = dump(db)
    with pytest.raises(UsageError) as refused:
        runs.publish(db, a_run(workflow_ref="workflows/release"), a_spine(), refs=("workflows/release", REF))
    assert refused.value.code == "RESOURCE_ALREADY_EXISTS"
    assert all(word in refused.value.message for word in (first.id, SCOPE, "step-1"))
    assert dump(db) == before


@pytest.mark.parametrize(
    "other",
    [
        {"scope_key": "dir:v1:there"},
        {"workflow_ref": "team//workflows/other"},
        {"status": "blocked"},
        {"status": "failed"},
        {"status": "completed", "current_step_id": None},
        {"parent_run_id": "parent", "invocation_key": "k"},
    ],
)
def test_only_an_active_top_level_run_of_the_ref_in_the_scope_stands_in_the_way(
    db: Database, other: dict[str, str]
) -> None:
    publish(db, **other)
    runs.publish(db, a_run(), a_spine(), refs=(REF,))


def test_a_forced_start_leaves_the_active_run_alone(db: Database) -> None:
    first = publish(db)
    stored = row(db, RUN, first)
    runs.publish(db, a_run(), a_spine(), refs=(REF,), force=True)
    assert row(db, RUN, first) == stored
    assert len(rows(db, "SELECT 1 FROM workflow_runs WHERE status = 'active'")) == 2


def test_a_start_without_a_scope_is_a_programming_error(db: Database) -> None:
    with pytest.raises(ValueError, match="scope"):
        runs.publish(db, a_run(scope_key=None), a_spine(), refs=(REF,), force=True)


def test_a_child_published_twice_under_one_key_is_one_child(db: Database) -> None:
    parent = publish(db)
    first = runs.publish_child(db, a_child(parent), a_spine(2))
    before = dump(db)
    again = runs.publish_child(db, a_child(parent), a_spine(2))
    assert again == first
    assert dump(db) == before
    assert event_types(db) == ["workflow_started"] * 2


def test_another_key_or_another_parent_makes_another_child(db: Database) -> None:
    one, two = publish(db), publish(db)
    made = [
        runs.publish_child(db, a_child(parent, key), a_spine()).id
        for parent, key in [(one, "a"), (one, "b"), (two, "a")]
    ]
    assert len(set(made)) == 3


def test_a_child_needs_parent_and_key(db: Database) -> None:
    with pytest.raises(ValueError, match="invocation key"):
        runs.publish_child(db, a_run(parent_run_id="p"), a_spine())


def test_a_guard_that_would_not_look_for_the_runs_own_ref_is_refused(db: Database) -> None:
    with pytest.raises(ValueError, match="own ref"):
        runs.publish(db, a_run(), a_spine(1), refs=())
    assert rows(db, "SELECT * FROM workflow_runs") == []
