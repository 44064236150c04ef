"""A driver killed at any point around a child: what the steps hold is what an undisturbed run leaves."""

from __future__ import annotations

import json
from typing import Any

import pytest
from crashes import crash
from places import Place
from workflow_files import a_step, sh

#: publish; reserve the call; publish the child; reserve and finish its unit; its step's end; finish the call;
#: the step's end.
COMMITS = 8
POINTS = [(when, number) for when in ("before-commit", "after-commit") for number in range(1, COMMITS + 1)]


def check_call(place: Place, unit: dict[str, Any], *point: str) -> None:
    """Crash at a point, go on, and compare what the step that called the child holds of it."""
    place.write({"id": "call", "unit": {"workflow": "workflows/c"}})
    crash(place, *point)
    completed = place.rows(
        "SELECT id FROM workflow_runs WHERE parent_run_id IS NULL AND status = 'completed'"
    )
    assert place.run(completed[0]["id"] if completed else "w").exit_status == 0
    row = place.row("SELECT evidence_json FROM workflow_run_steps WHERE step_id = 'call'")
    assert json.loads(row["evidence_json"])["units"] == [{"unitId": "call:solo", "ok": True, **unit}]


@pytest.mark.parametrize(("point", "number"), POINTS)
def test_what_a_child_gave_is_kept_alike_whoever_reads_it(place: Place, point: str, number: int) -> None:
    place.write(a_step("say", *sh("printf words")), name="c")
    check_call(place, {"text": "words"}, point, str(number))


@pytest.mark.parametrize("point", ["before-commit", "after-commit"])
@pytest.mark.parametrize(
    ("said", "schema", "unit"),
    [
        ('{"a": 1}', {"type": "object"}, {"result": {"a": 1}}),
        ('"words"', {"type": "string"}, {"text": "words"}),
    ],
)
def test_so_is_what_a_schema_made_of_it(
    place: Place, said: str, schema: dict[str, Any], unit: dict[str, Any], point: str
) -> None:
    place.write(a_step("say", *sh(f"printf %s '{said}'"), output=schema), name="c")
    check_call(place, unit, point, str(COMMITS - 1))
