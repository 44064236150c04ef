"""Starting a run: everything is checked first, and what is published is whole."""

from __future__ import annotations

import json

import pytest
from outcomes import done
from places import Place
from workflow_files import a_step, items

from akm.errors import ConfigError, UsageError, WorkflowSourceError


def nothing_was_written(place: Place) -> bool:
    tables = ("workflow_runs", "workflow_run_steps", "events")
    return not any(place.rows(f"SELECT * FROM {table}") for table in tables)


def test_a_run_row_never_exists_without_plan_steps_and_event(place: Place) -> None:
    place.write(a_step("a"), a_step("b"), params=items(1))
    run = place.fake(done, given=[("items", "[2]")], max_steps=1).run
    row = place.row("SELECT * FROM workflow_runs")
    assert row["workflow_ref"] == "project//workflows/w"
    assert (json.loads(row["params_json"]), run["params"]) == ({"items": [2]}, {"items": [2]})
    assert json.loads(row["plan_json"])["irVersion"] == row["plan_ir_version"] == 6
    assert len(row["plan_hash"]) == 64
    steps = place.rows("SELECT step_id, sequence_index FROM workflow_run_steps ORDER BY sequence_index")
    assert [tuple(step.values()) for step in steps] == [("a", 0), ("b", 1)]
    (event,) = place.rows("SELECT * FROM events WHERE event_type = 'workflow_started'")
    assert json.loads(event["metadata_json"]) == {"runId": run["id"], "status": "active"}


def test_defaults_fill_absent_parameters(place: Place) -> None:
    place.write(a_step("a"), params=items(7))
    assert place.fake(done).run["params"] == {"items": [7]}


def test_python_callers_give_values(place: Place) -> None:
    place.write(a_step("a"), params={"n": {"type": "integer"}})
    assert place.fake(done, given={"n": 3}).run["params"] == {"n": 3}


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ([("n", "SENTINEL")], "INVALID_FLAG_VALUE"),
        ([("m", "SENTINEL")], "UNKNOWN_FLAG"),
        ({"n": "SENTINEL"}, "INVALID_JSON_ARGUMENT"),
    ],
)
def test_wrong_parameters_write_nothing_and_are_not_echoed(place: Place, given: object, code: str) -> None:
    place.write(a_step("a"), params={"n": {"type": "integer"}})
    with pytest.raises(UsageError) as refused:
        place.run(given=given)
    assert refused.value.code == code
    assert "SENTINEL" not in f"{refused.value.message} {refused.value.hint}"
    assert nothing_was_written(place)


def test_a_file_with_errors_writes_nothing_and_every_finding_is_there(place: Place) -> None:
    place.write({"id": "a", "units": {}}, {"id": "b", "maps": {}})
    with pytest.raises(WorkflowSourceError) as refused:
        place.run()
    assert {finding.line for finding in refused.value.findings}
    assert len(refused.value.findings) >= 2
    assert nothing_was_written(place)


def test_prose_without_an_engine_is_refused_naming_the_setting(place: Place) -> None:
    place.write({"id": "a"})
    with pytest.raises(ConfigError, match=r"defaults\.engine"):
        place.run()
    assert nothing_was_written(place)


def test_a_parameter_that_looks_like_a_secret_is_warned_of_without_its_value(place: Place) -> None:
    place.write(a_step("a"), params={"api_token": {"type": "string"}})
    warnings = place.fake(done, given=[("api_token", "SENTINEL-VALUE")]).warnings
    assert [("api_token" in text, "SENTINEL" in text) for text in warnings] == [(True, False)]


def test_the_agent_that_starts_a_run_is_noted(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AKM_AGENT_HARNESS", "mine")
    monkeypatch.setenv("CLAUDECODE", "1")
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "s-1")
    place.write(a_step("a"))
    run = place.fake(done).run
    assert (run["agentHarness"], run["agentSessionId"]) == ("mine", "s-1")
