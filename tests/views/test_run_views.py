"""Finding, listing and showing runs."""

from __future__ import annotations

import json

import pytest
from builders import REF, SCOPE, a_child, a_spine, a_wanted, attempt, dump, later, publish

from akm.errors import NotFoundError, UsageError
from akm.services import attempts, runs, steps
from akm.store.database import Database
from akm.views import runs as run_views
from akm.views.runs import Filters

THERE = "dir:v1:there"
EVERYWHERE = Filters(None, all_scopes=True)


def listed(db: Database, filters: Filters) -> list[str]:
    return [run["id"] for run in run_views.listing(db, filters)]


def test_a_run_is_found_by_its_id_and_by_a_unique_beginning(db: Database) -> None:
    one = publish(db, id="aaaa1111-0000-4000-8000-000000000000")
    two = publish(db, id="aaaa2222-0000-4000-8000-000000000000")
    assert [run_views.find(db, text) for text in (one, "aaaa1", "aaaa2222-")] == [one, one, two]


def test_an_ambiguous_beginning_lists_the_candidates(db: Database) -> None:
    made = [publish(db, id=f"aaaa{number}111-0000-4000-8000-000000000000") for number in (1, 2)]
    with pytest.raises(UsageError) as refused:
        run_views.resolve(db, "aaaa")
    assert refused.value.exit_status == 2
    assert all(run_id in refused.value.message for run_id in made)


@pytest.mark.parametrize(
    "text", ["bbbb", "aaaa1%", "____", "aaa", "%", "", "AAAA1111", "aaaa1111' OR 1=1", "a" * 37]
)
def test_any_other_text_finds_nothing(db: Database, text: str) -> None:
    publish(db, id="aaaa1111-0000-4000-8000-000000000000")
    assert run_views.find(db, text) is None
    with pytest.raises(NotFoundError) as unknown:
        run_views.resolve(db, text)
    assert (unknown.value.code, unknown.value.exit_status) == ("WORKFLOW_NOT_FOUND", 1)


def test_a_start_attaches_to_the_most_recently_updated_active_run(db: Database) -> None:
    publish(db, created_at=later(1))
    newest = publish(db, created_at=later(3))
    publish(db, created_at=later(2), workflow_ref="workflows/release")
    blocked = publish(db, created_at=later(9))
    steps.complete(db, blocked, "step-1", status="blocked", at=later(9), notes="down")
    found = run_views.active_in_scope(db, ("workflows/release", REF), SCOPE)
    assert found is not None
    assert found.id == newest
    assert run_views.active_in_scope(db, (REF,), THERE) is None


def test_an_own_run_does_not_hide_an_active_one_of_another_scope(db: Database) -> None:
    there = publish(db, scope_key=THERE, created_at=later(1))
    nowhere = publish(db, created_at=later(2), workflow_ref="team//workflows/other")
    db.connection.execute("UPDATE workflow_runs SET scope_key = NULL WHERE id = ?", (nowhere,))
    publish(db, created_at=later(9))
    found = run_views.active_elsewhere(db, (REF,), SCOPE)
    assert found is not None
    assert (found.id, found.scope_key) == (there, THERE)
    of_no_scope = run_views.active_elsewhere(db, ("team//workflows/other",), SCOPE)
    assert of_no_scope is not None
    assert of_no_scope.id == nowhere
    assert run_views.active_elsewhere(db, (REF,), THERE) is not None


def test_the_latest_run_of_a_ref_is_found_in_any_state(db: Database) -> None:
    publish(db, created_at=later(1))
    ended = publish(db, created_at=later(2))
    steps.complete(db, ended, "step-1", status="completed", at=later(5), summary="Done.")
    there = publish(db, created_at=later(9), scope_key=THERE)
    assert run_views.latest(db, (REF,), SCOPE) == ended
    assert run_views.latest(db, (REF,), None) == there
    assert run_views.latest(db, ("team//workflows/other",), None) is None


def test_a_listing_is_newest_first_of_one_scope_without_children(db: Database) -> None:
    old, new = publish(db, created_at=later(1)), publish(db, created_at=later(3))
    there = publish(db, created_at=later(2), scope_key=THERE)
    child = runs.publish_child(db, a_child(new, created_at=later(4)), a_spine()).id
    assert listed(db, Filters(SCOPE)) == [new, old]
    assert listed(db, Filters(SCOPE, children=True)) == [child, new, old]
    assert listed(db, EVERYWHERE) == [new, there, old]
    attempts.reserve(db, old, a_wanted(), at=later(8))
    steps.complete(db, old, "step-1", status="failed", at=later(9), notes="no")
    assert listed(db, Filters(SCOPE)) == [old, new]


def test_filters_combine_and_no_match_is_an_empty_list(db: Database) -> None:
    active = publish(db, created_at=later(2))
    other = publish(db, created_at=later(1), workflow_ref="workflows/release")
    failed = publish(db, created_at=later(0))
    runs.abandon(db, failed, at=later(3))
    assert listed(db, Filters(SCOPE, status="active")) == [active, other]
    assert listed(db, Filters(SCOPE, refs=(REF,))) == [failed, active]
    assert listed(db, Filters(SCOPE, refs=("workflows/release", REF, "x"))) == [failed, active, other]
    assert listed(db, Filters(SCOPE, refs=(REF,), status="active")) == [active]
    assert listed(db, Filters(SCOPE, refs=("x' OR 1=1 --",))) == []
    assert listed(db, Filters(SCOPE, status="blocked")) == []
    assert listed(db, EVERYWHERE._replace(limit=1, offset=1)) == [active]


def test_a_detail_shows_run_steps_and_their_json(db: Database) -> None:
    run_id = publish(db, 2, params_json='{"p":[1]}', agent_harness="claude")
    steps.complete(
        db, run_id, "step-1", status="completed", at=later(1), summary="One.", evidence_json='{"output":2}'
    )
    shown = run_views.detail(db, run_id)
    assert set(shown) == {"run", "workflow"}
    assert shown["run"]["params"] == {"p": [1]}
    assert (shown["run"]["status"], shown["run"]["currentStepId"]) == ("active", "step-2")
    first, second = shown["workflow"]["steps"]
    assert (first["status"], first["summary"], first["evidence"]) == ("completed", "One.", {"output": 2})
    assert not {"notes", "evidence", "summary"} & set(second)
    assert "irVersion" not in json.dumps(shown)


def test_damaged_json_is_named_and_the_rest_is_shown(db: Database) -> None:
    run_id = publish(db)
    db.connection.execute("UPDATE workflow_runs SET params_json = '{', plan_json = NULL")
    db.connection.execute("UPDATE workflow_run_steps SET evidence_json = 'nope'")
    shown = run_views.detail(db, run_id)
    assert shown["run"]["params"] == {}
    assert [warning.split(" of run")[0] for warning in shown["warnings"]] == [
        "evidence_json of step step-1",
        "params_json",
        "plan_json",
    ]


def test_a_detail_holds_the_tree_of_children_oldest_first(db: Database) -> None:
    root = publish(db)
    attempt(db, root, "step-1")
    second = runs.publish_child(db, a_child(root, "b", created_at=later(2)), a_spine()).id
    first = runs.publish_child(
        db, a_child(root, "a", created_at=later(1), parent_unit_id="gone"), a_spine()
    ).id
    grand = runs.publish_child(db, a_child(second, "c", created_at=later(3)), a_spine()).id
    steps.complete(db, grand, "step-1", status="blocked", at=later(4), notes="down")
    one, two = run_views.detail(db, root)["children"]
    assert [one["runId"], two["runId"]] == [first, second]
    assert (one["spawnedByUnitId"], one["stepId"]) == ("gone", None)
    assert (two["spawnedByUnitId"], two["stepId"]) == ("step-1", "step-1")
    assert "children" not in one
    assert "resume" not in two
    (deepest,) = two["children"]
    assert deepest["resume"] == {
        "command": f"akm workflow resume {grand}",
        "then": f"akm workflow run {root}",
    }
    assert run_views.detail(db, second)["run"]["parentRunId"] == root


def test_an_unknown_run_has_no_detail(db: Database) -> None:
    for ask in (run_views.detail, run_views.head):
        with pytest.raises(NotFoundError):
            ask(db, "no-such-run")


def test_views_write_nothing(db: Database) -> None:
    run_id = publish(db)
    attempt(db, run_id)
    before = dump(db)
    changes = db.connection.total_changes
    run_views.detail(db, run_id)
    run_views.listing(db, EVERYWHERE)
    run_views.resolve(db, run_id)
    run_views.plan(db, run_id)
    assert run_views.identifiers(db, "") == [run_id]
    assert run_views.identifiers(db, run_id[:2]) == [run_id]
    assert run_views.evidence(db, run_id, "step-1") is None
    assert db.connection.total_changes == changes
    assert dump(db) == before
    assert not db.connection.in_transaction
