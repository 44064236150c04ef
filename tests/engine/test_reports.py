"""Runs as people see them: detail, lists of one directory or of all, and nothing written by looking."""

from __future__ import annotations

from outcomes import broken, done
from places import Place
from workflow_files import a_step

from akm import config
from akm.engine import reports
from akm.store.runs import Filters


def test_a_detail_holds_steps_and_on_request_units_and_attempts(place: Place) -> None:
    place.write(a_step("a", retry={"max": 1, "on": ["non_zero_exit"]}))
    run_id = place.fake(lambda _one: broken()).run["id"]
    plain = reports.detail(place.db, run_id)
    assert "units" not in plain
    assert "attempts" not in plain
    assert [step["status"] for step in plain["workflow"]["steps"]] == ["failed"]
    full = reports.detail(place.db, run_id, with_units=True, with_attempts=True)
    assert [(row["attempts"], row["diagnostic"]) for row in full["units"]] == [(2, "it did not work")]
    assert [row["attempt"] for row in full["attempts"]] == [1, 2]


def test_a_list_is_of_one_directory_unless_all_are_asked_for(place: Place) -> None:
    place.write(a_step("a"))
    run_id = place.fake(done).run["id"]

    def listed(filters: Filters) -> tuple[list[str], str | None]:
        found = reports.listing(place.db, filters)
        assert found["results"] == found["runs"]
        return [run["id"] for run in found["runs"]], found["scopeKey"]

    here = place.work.scope_key
    assert listed(Filters(here)) == ([run_id], here)
    assert listed(Filters("dir:v1:elsewhere")) == ([], "dir:v1:elsewhere")
    assert listed(Filters("dir:v1:elsewhere", all_scopes=True)) == ([run_id], None)


def test_looking_changes_nothing(place: Place) -> None:
    place.write(a_step("a"), a_step("b"))
    run_id = place.fake(done, max_steps=1).run["id"]
    before = place.db.connection.total_changes
    layers = config.read(place.root)
    assert reports.look_up(place.db, layers, "w", all_scopes=False) == run_id
    reports.detail(place.db, run_id, with_units=True, with_attempts=True)
    reports.listing(place.db, Filters(None, all_scopes=True))
    assert place.db.connection.total_changes == before


def test_a_finished_unit_whose_input_is_not_what_the_plan_asks_for_is_marked(place: Place) -> None:
    place.write(a_step("a"), a_step("b"))
    run_id = place.fake(done).run["id"]
    with place.db.immediate():
        place.db.connection.execute("UPDATE workflow_run_units SET input_hash = 'x' WHERE step_id = 'b'")
    full = reports.detail(place.db, run_id, with_units=True)
    assert [(row["unitId"], row.get("inputChanged")) for row in full["units"]] == [
        ("a:solo", None),
        ("b:solo", True),
    ]


def test_units_are_shown_even_when_the_plan_is_damaged(place: Place) -> None:
    place.write(a_step("a"))
    run_id = place.fake(done).run["id"]
    with place.db.immediate():
        place.db.connection.execute("UPDATE workflow_runs SET plan_json = '{'")
    full = reports.detail(place.db, run_id, with_units=True)
    assert [row["status"] for row in full["units"]] == ["completed"]
    assert "plan_json" in full["warnings"][0]
