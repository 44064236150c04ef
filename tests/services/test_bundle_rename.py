"""A rename of a bundle moves its refs in every table, and those of no neighbour."""

from __future__ import annotations

import json
from typing import Any

import pytest
from builders import AT, dump, later, publish, row, rows

from akm.services import bundle_rename, events, task_history
from akm.services.task_history import Ended
from akm.store import bundle_refs
from akm.store.database import Database
from akm.views import bundle_refs as views

BUNDLES = ["team", "TEAM", "team2", "te_m", "te%m", "t\\m", "té𝄞m", "a-team", "';--"]
COLUMNS = {"task_history": "target_ref", "workflow_runs": "workflow_ref", "events": "ref"}
KINDS = ["workflow", None, "", "prompt", "none that is known"]


def fill(db: Database, bundle: str, path: str = "//workflows/x") -> None:
    """Write what names a bundle: a row of history of every kind, a run, its event and one more."""
    for kind in KINDS:
        ended = Ended("completed", AT, 5, target_kind=kind, target_ref=f"{bundle}{path}")
        task_history.record(db, f"{bundle}{path}", later(KINDS.index(kind)), ended)
    publish(db, workflow_ref=f"{bundle}{path}")
    events.record(db, "env_access", at=AT, ref=f"{bundle}{path}", metadata={"keys": 1})


def refs(db: Database) -> dict[str, list[str | None]]:
    return {
        table: [one["ref"] for one in rows(db, f"SELECT {column} AS ref FROM {table} ORDER BY rowid")]
        for table, column in COLUMNS.items()
    }


def renamed(db: Database, old: str, new: str) -> bundle_refs.Counts:
    counts = bundle_rename.rename(db, old, new, at=later(9))
    bundle_rename.conclude(db, old, new)
    return counts


@pytest.mark.parametrize("old", BUNDLES)
@pytest.mark.parametrize("new", ["crew", "𝄞", "c%w"])
def test_a_rename_catches_no_neighbour_in_any_table(db: Database, old: str, new: str) -> None:
    for bundle in BUNDLES:
        fill(db, bundle)
    for path in (f"x{old}//y", old, f"{old}/x", f"workflows/{old}", f"{old}/0", f"{old}0//x"):
        fill(db, path, "")
    before = refs(db)
    counted = views.counts(db, old)
    assert counted == (len(KINDS), 1, 2)
    assert bundle_rename.rename(db, old, new, at=AT) == counted
    expected = {
        table: [new + ref[len(old) :] if ref and ref.startswith(f"{old}//") else ref for ref in found]
        for table, found in before.items()
    }
    assert refs(db) == expected | {"events": [*expected["events"], None]}
    assert views.counts(db, old) == (0, 0, 0)
    assert views.counts(db, new) == counted


def test_nothing_but_the_refs_and_the_event_changes(db: Database) -> None:
    fill(db, "team")
    before = dump(db)
    bundle_rename.rename(db, "team", "crew", at=AT)
    after = dump(db)
    told = after["events"].pop()
    for table, column in COLUMNS.items():
        for one in (*before[table], *after[table]):
            one.pop(column)
    before.pop("sqlite_sequence"), after.pop("sqlite_sequence")
    assert after == before
    assert (told["event_type"], told["ts"], told["ref"]) == ("bundle_renamed", AT, None)
    assert json.loads(told["metadata_json"]) == {
        "old": "team",
        "new": "crew",
        "taskHistory": len(KINDS),
        "workflowRuns": 1,
        "events": 2,
    }


def told(db: Database) -> list[tuple[Any, ...]]:
    found = rows(db, "SELECT metadata_json FROM events WHERE event_type = 'bundle_renamed' ORDER BY id")
    return [tuple(json.loads(one["metadata_json"]).values()) for one in found]


def test_a_rename_that_is_finished_later_is_told_once(db: Database) -> None:
    fill(db, "team")
    assert bundle_rename.rename(db, "team", "crew", at=AT) == (len(KINDS), 1, 2)
    fill(db, "team", "//workflows/late")
    assert bundle_rename.rename(db, "team", "crew", at=AT) == (len(KINDS), 1, 2)
    assert bundle_rename.conclude(db, "team", "crew") is True
    assert bundle_rename.conclude(db, "team", "crew") is False
    assert told(db) == [("team", "crew", len(KINDS), 1, 2)]


def test_a_bundle_may_be_renamed_back_and_again(db: Database) -> None:
    fill(db, "team")
    before = refs(db)
    for old, new in [("team", "crew"), ("crew", "team"), ("team", "crew"), ("crew", "team")]:
        renamed(db, old, new)
    assert [one[:2] for one in told(db)] == [("team", "crew"), ("crew", "team")] * 2
    assert refs(db) == before | {"events": before["events"] + [None] * 4}


def test_a_rename_back_ends_the_one_that_was_cut_off(db: Database) -> None:
    bundle_rename.rename(db, "team", "crew", at=AT)
    renamed(db, "crew", "team")
    renamed(db, "team", "crew")
    assert len(told(db)) == 3


@pytest.mark.parametrize(
    ("old", "new"), [("team", "team"), ("team", "project"), ("project", "team"), ("a//b", "c"), ("a", "")]
)
def test_what_is_no_pair_of_bundles_is_refused(db: Database, old: str, new: str) -> None:
    with pytest.raises(ValueError):
        bundle_rename.rename(db, old, new, at=AT)
    assert told(db) == []


def test_only_active_runs_of_the_bundle_are_listed(db: Database) -> None:
    run_id = publish(db, workflow_ref="team//workflows/x")
    for ref in ("TEAM//workflows/x", "team2//workflows/x", "xteam//y"):
        publish(db, workflow_ref=ref)
    publish(db, workflow_ref="team//workflows/y", status="completed")
    assert views.active_runs(db, "team") == [run_id]


def test_the_rows_of_one_bundle_are_moved_without_a_look_at_the_others(db: Database) -> None:
    values = [
        (f"t{number}", AT, f"{'team' if number % 50 == 0 else 'other'}//workflows/w{number % 97}")
        for number in range(20_000)
    ]
    db.connection.execute("BEGIN")
    db.connection.executemany(
        "INSERT INTO task_history (task_id, status, started_at, completed_at, target_kind, target_ref) "
        "VALUES (?1, 'completed', ?2, ?2, 'workflow', ?3)",
        values,
    )
    db.connection.execute("COMMIT")
    steps = [0]

    def count() -> None:
        steps[0] += 1

    db.connection.set_progress_handler(count, 100)
    assert renamed(db, "team", "crew") == (400, 0, 0)
    db.connection.set_progress_handler(None, 0)
    # A look at each of the others would take two steps of the machine at the very least.
    assert steps[0] * 100 < 400 * 60
    assert row(db, "SELECT count(*) AS n FROM task_history WHERE target_ref >= 'crew//'")["n"] == 20_000


def test_the_attempts_of_a_bundles_tasks_move_with_it(db: Database) -> None:
    for number, bundle in enumerate(["team", "TEAM", "team2", None]):
        ended = Ended("completed", AT, 5, bundle=bundle)
        task_history.record(db, "nightly", later(number), ended)
    both = Ended("completed", AT, 5, target_kind="workflow", target_ref="team//workflows/w", bundle="team")
    task_history.record(db, "own", AT, both)
    assert views.counts(db, "team").task_history == 2
    assert renamed(db, "team", "crew").task_history == 2
    found = [one["bundle"] for one in rows(db, "SELECT bundle FROM task_history ORDER BY id")]
    assert found == ["crew", "TEAM", "team2", None, "crew"]
    assert views.counts(db, "team").task_history == 0
