"""A run that is taken over is the run that was exported; nothing that is here is changed by it."""

from __future__ import annotations

import pytest
from builders import a_child, a_spine, a_wanted, attempt, dump, later, publish, taken_away

from akm.errors import UsageError
from akm.services import attempts, run_imports, runs, steps
from akm.services.run_imports import RunRows
from akm.store import run_rows
from akm.store.database import Database


def a_family(db: Database) -> str:
    """Make a failed run with a child and a grandchild, a retried unit and a dispatch under way."""
    top = publish(db, 2)
    attempt(db, top, status="failed", failure_reason="timeout", result_json='"because"')
    attempt(db, top, result_json='{"é": 1}', tokens=7)
    child = runs.publish_child(db, a_child(top), a_spine(2))
    runs.publish_child(db, a_child(child.id, "key-2"), a_spine(1))
    attempts.reserve(db, child.id, a_wanted(), at=later(3))
    steps.complete(db, top, "step-1", status="failed", at=later(5), notes="No.", evidence_json="{}")
    return top


def tree(db: Database, run_id: str) -> list[RunRows]:
    with db.read() as tx:
        return run_rows.tree(tx, run_id)


def test_every_row_of_a_run_and_its_children_comes_back_as_it_was(db: Database) -> None:
    publish(db)
    top = a_family(db)
    before = dump(db)
    found = taken_away(db, top)
    assert len(found) == 3
    assert run_imports.admit(db, found)
    after = dump(db)
    for name, rows in before.items():
        kept = [{column: value for column, value in row.items() if column != "rowid"} for row in rows]
        came = [{column: value for column, value in row.items() if column != "rowid"} for row in after[name]]
        if name in ("events", "sqlite_sequence"):
            continue
        assert came == kept, name
    texts = [[event["metadata_json"] for event in side["events"]] for side in (before, after)]
    assert sorted(texts[0]) == sorted(texts[1])
    assert tree(db, top) == found


def test_what_is_here_already_is_left_alone(db: Database) -> None:
    top = a_family(db)
    found, before = tree(db, top), dump(db)
    assert not run_imports.admit(db, found)
    assert dump(db) == before


def test_a_run_that_went_another_way_is_refused_whole(db: Database) -> None:
    top = a_family(db)
    found = tree(db, top)
    runs.resume(db, top, at=later(9))
    before = dump(db)
    with pytest.raises(UsageError, match="has gone another way") as refused:
        run_imports.admit(db, found)
    assert refused.value.code == "RESOURCE_ALREADY_EXISTS"
    assert dump(db) == before


def test_rows_whose_keys_are_taken_by_another_run_are_refused_whole(db: Database) -> None:
    found = taken_away(db, a_family(db))
    other = publish(db)
    reserved = attempt(db, other)
    first = found[0].attempts[0]._replace(dispatch_id=reserved.dispatch_id)
    spoilt = [found[0]._replace(attempts=[first, *found[0].attempts[1:]]), *found[1:]]
    before = dump(db)
    with pytest.raises(UsageError, match="belongs to another run"):
        run_imports.admit(db, spoilt)
    assert dump(db) == before


def test_a_run_that_was_taken_over_goes_on_as_any_other(db: Database) -> None:
    top = a_family(db)
    run_imports.admit(db, taken_away(db, top))
    assert runs.resume(db, top, at=later(9))
    assert attempts.reserve(db, top, a_wanted(), at=later(10)).attempt == 3
