"""Runs that are over go whole, with everything that is theirs, and nothing else goes."""

from __future__ import annotations

from typing import Any

import pytest
from builders import AT, REF, SCOPE, a_child, a_spine, attempt, dump, later, publish, rows

from akm.engine import lock
from akm.engine.care import locks, pruning
from akm.engine.care.pruning import Rule, Wish
from akm.engine.lock import RunLock
from akm.errors import TransientError
from akm.services import events, runs, steps, task_history
from akm.services.task_history import Ended
from akm.store.database import Database

OLD = Rule(later(100), None)


def finish(db: Database, run_id: str, at: str, status: str = "completed") -> str:
    steps.complete(db, run_id, "step-1", status=status, at=at, summary="Done.")
    return run_id


def over(db: Database, at: str = AT, **changes: Any) -> str:
    """Make a completed run with one attempt."""
    run_id = publish(db, created_at=at, **changes)
    attempt(db, run_id, at=at)
    return finish(db, run_id, at)


def with_child(db: Database, parent_is_over: bool, child_is_over: bool) -> tuple[str, str]:
    parent = publish(db)
    child = runs.publish_child(db, a_child(parent), a_spine(1)).id
    for run_id, is_over in ((parent, parent_is_over), (child, child_is_over)):
        if is_over:
            finish(db, run_id, AT)
    return parent, child


def left(db: Database) -> set[str]:
    return {found["id"] for found in rows(db, "SELECT id FROM workflow_runs")}


@pytest.mark.parametrize("wish", [Wish(), Wish(history=True), Wish(events=True), Wish(True, True, True)])
def test_a_dry_run_counts_exactly_what_goes_and_writes_nothing(db: Database, wish: Wish) -> None:
    for second in range(0, 200, 20):
        over(db, later(second))
    with_child(db, True, True)
    with_child(db, True, False)
    events.record(db, "env_access", at=AT, metadata={"keys": 1})
    events.record(db, "workflow_finished", at=AT, metadata={"runId": "of-an-earlier-prune"})
    task_history.record(db, "nightly", AT, Ended("completed", AT, 1))
    before = dump(db)
    told = pruning.preview(db, OLD, wish)
    assert dump(db) == before
    done = pruning.prune(db, OLD, wish)
    assert done["tables"] == told["tables"]
    after = dump(db)
    gone = {name: len(before[name]) - len(after[name]) for name in done["tables"]}
    assert gone == done["tables"]
    assert done["tables"]["workflow_runs"] == 7
    assert ("task_history" in gone) == wish.history
    assert pruning.prune(db, OLD, wish)["tables"] == dict.fromkeys(gone, 0)


def test_what_stays_is_untouched_row_by_row(db: Database) -> None:
    stays = over(db, later(200))
    before = dump(db)
    for _run in range(3):
        over(db)
    pruning.prune(db, OLD, Wish(history=True, events=True))
    assert left(db) == {stays}
    own = {name: found for name, found in dump(db).items() if name != "sqlite_sequence"}
    assert own == {name: found for name, found in before.items() if name != "sqlite_sequence"}


@pytest.mark.parametrize("status", ["blocked", "failed", "active"])
def test_a_run_that_somebody_may_have_to_look_at_stays_and_a_failed_one_goes(
    db: Database, status: str
) -> None:
    run_id = publish(db)
    if status != "active":
        finish(db, run_id, AT, status)
    pruning.prune(db, OLD, Wish())
    assert left(db) == (set() if status == "failed" else {run_id})


def test_an_abandoned_run_goes(db: Database) -> None:
    runs.abandon(db, publish(db), at=AT)
    pruning.prune(db, OLD, Wish())
    assert left(db) == set()


@pytest.mark.parametrize(("parent", "child"), [(True, True), (True, False), (False, True)])
def test_a_tree_goes_or_stays_whole(db: Database, parent: bool, child: bool) -> None:
    tree = with_child(db, parent, child)
    pruning.prune(db, OLD, Wish())
    assert left(db) == (set() if parent and child else {*tree})


def test_a_tree_is_as_old_as_its_youngest_run(db: Database) -> None:
    parent = publish(db)
    child = runs.publish_child(db, a_child(parent), a_spine(1)).id
    finish(db, parent, AT)
    finish(db, child, later(150))
    pruning.prune(db, OLD, Wish())
    assert left(db) == {parent, child}


def test_a_child_whose_parent_is_gone_goes_by_itself(db: Database) -> None:
    parent, child = with_child(db, True, True)
    with db.immediate():
        db.connection.execute("DELETE FROM workflow_runs WHERE id = ?", (parent,))
    pruning.prune(db, OLD, Wish())
    assert child not in left(db)


def test_the_newest_are_kept_of_each_workflow_in_each_scope(db: Database) -> None:
    kinds = [{"scope_key": SCOPE}, {"scope_key": "dir:v1:there"}, {"workflow_ref": "team//workflows/other"}]
    made = [[over(db, later(number), **kind) for number in range(4)] for kind in kinds]
    active = publish(db, created_at=later(9))
    pruning.prune(db, Rule(None, 2), Wish())
    assert left(db) == {active} | {run_id for of_kind in made for run_id in of_kind[2:]}


def test_a_run_must_be_old_and_not_among_the_newest_when_both_are_asked(db: Database) -> None:
    made = [over(db, later(number)) for number in (0, 1, 2, 150, 151, 152)]
    pruning.prune(db, Rule(later(100), 2), Wish())
    assert left(db) == {*made[3:]}
    pruning.prune(db, Rule(later(1000), 2), Wish())
    assert left(db) == {*made[4:]}


@pytest.mark.parametrize("member", [0, 1])
def test_a_tree_of_which_a_run_is_driven_stays(db: Database, member: int) -> None:
    tree = with_child(db, True, True)
    driver = RunLock(lock.folder(db.path), tree[member])
    driver.acquire(at=AT)
    try:
        assert pruning.preview(db, OLD, Wish())["runs"] == 0
        pruning.prune(db, OLD, Wish())
        assert left(db) == {*tree}
    finally:
        driver.release()
    pruning.prune(db, OLD, Wish())
    assert left(db) == set()
    assert locks.known(lock.folder(db.path)) == set()


def test_a_run_whose_lock_is_taken_after_it_was_chosen_stays(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = finish(db, publish(db), AT, "failed")
    driver = RunLock(lock.folder(db.path), run_id)
    select = pruning.view.select

    def chosen(*arguments: Any) -> Any:
        found = select(*arguments)
        driver.acquire(at=AT)
        return found

    monkeypatch.setattr(pruning.view, "select", chosen)
    try:
        assert pruning.prune(db, OLD, Wish())["runs"] == 0
        assert left(db) == {run_id}
    finally:
        driver.release()


def test_a_run_that_is_resumed_after_it_was_chosen_stays(db: Database) -> None:
    run_id = finish(db, publish(db), AT, "failed")
    chosen = pruning.view.select(db, OLD, ())
    runs.resume(db, run_id, at=later(1))
    assert pruning.pruning.prune_runs(db, chosen.trees).rows == (0, 0, 0, 0)
    assert left(db) == {run_id}


def test_a_tree_that_has_grown_after_it_was_chosen_stays(db: Database) -> None:
    run_id = over(db)
    chosen = pruning.view.select(db, OLD, ())
    child = runs.publish_child(db, a_child(run_id), a_spine(1)).id
    assert pruning.pruning.prune_runs(db, chosen.trees).run_ids == ()
    assert left(db) == {run_id, child}


def test_many_runs_go_in_several_transactions_and_an_interruption_leaves_the_rest_to_the_next_call(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pruning, "RUNS_AT_ONCE", 2)
    monkeypatch.setattr("akm.store.pruning.EVENTS_AT_ONCE", 3)
    for _run in range(5):
        over(db)
    told = pruning.preview(db, OLD, Wish())["tables"]
    real, calls = pruning.pruning.prune_runs, []

    def interrupted(*arguments: Any) -> Any:
        calls.append(arguments)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return real(*arguments)

    monkeypatch.setattr(pruning.pruning, "prune_runs", interrupted)
    with pytest.raises(KeyboardInterrupt):
        pruning.prune(db, OLD, Wish())
    assert len(left(db)) == 3
    done = pruning.prune(db, OLD, Wish())["tables"]
    assert len(calls) == 4
    assert done["workflow_runs"] == 3
    assert done["events"] == told["events"]
    assert rows(db, "SELECT 1 FROM events") == []


def test_freed_bytes_are_reported_and_given_back_to_the_disk_on_request(db: Database) -> None:
    for _run in range(3):
        over(db, plan_json='"' + "x" * 500_000 + '"')
    done = pruning.prune(db, OLD, Wish())
    assert done["bytesFreed"] > 1_400_000
    assert done["freeBytes"] >= done["bytesFreed"]
    shrunk = pruning.prune(db, OLD, Wish(vacuum=True))
    assert shrunk["freeBytes"] == 0
    assert shrunk["bytes"] == db.path.stat().st_size < 400_000


def test_the_file_is_not_shrunk_while_a_run_is_driven_and_then_nothing_is_deleted(db: Database) -> None:
    run_id = over(db)
    driven = publish(db)
    driver = RunLock(lock.folder(db.path), driven)
    driver.acquire(at=AT)
    try:
        with pytest.raises(TransientError, match=f"Run {driven} is being driven") as refused:
            pruning.prune(db, OLD, Wish(vacuum=True))
        assert refused.value.code == "RUN_LEASE_HELD"
        assert run_id in left(db)
    finally:
        driver.release()


def test_runs_that_name_each_other_as_parents_stay(db: Database) -> None:
    first, second = over(db), over(db)
    with db.immediate():
        for run_id, parent in ((first, second), (second, first)):
            db.connection.execute("UPDATE workflow_runs SET parent_run_id = ? WHERE id = ?", (parent, run_id))
    pruning.prune(db, OLD, Wish())
    assert left(db) == {first, second}


def test_events_of_a_ref_that_other_runs_share_stay(db: Database) -> None:
    over(db, workflow_ref=REF)
    stays = over(db, later(150), workflow_ref=REF)
    pruning.prune(db, OLD, Wish())
    of_runs = rows(db, "SELECT DISTINCT json_extract(metadata_json, '$.runId') AS run FROM events")
    assert of_runs == [{"run": stays}]
