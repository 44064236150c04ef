"""What an engine writes is read as JSON where its step's schema wants no text, and only there."""

from __future__ import annotations

from typing import Any

import pytest
from gates import Court, a_prose_step
from outcomes import said
from places import Place
from workflow_files import a_step, sh

from akm.services import runs

LISTED = {"type": "object", "properties": {"n": {"type": "array"}}, "required": ["n"]}


@pytest.mark.parametrize(
    ("schema", "text", "output"),
    [
        (LISTED, '{"n": [1]}', {"n": [1]}),
        (LISTED, 'They are:\n```json\n{"n": [1]}\n```\n', {"n": [1]}),
        ({"type": "array"}, "[1, 2]", [1, 2]),
        ({"type": "string"}, "[1, 2]", "[1, 2]"),
        ({"type": ["string", "integer"]}, "7", "7"),
    ],
)
def test_text_becomes_the_value_that_the_steps_schema_wants(
    place: Place, schema: dict[str, Any], text: str, output: Any
) -> None:
    court = Court(place, work=lambda _dispatch: said(text))
    court.write(a_prose_step(output=schema), bodies=())
    assert court.run().exit_status == 0
    assert place.output("a") == output


def test_what_is_nested_too_deeply_to_be_written_stays_text(place: Place) -> None:
    text = "[" * 950 + "]" * 950
    court = Court(place, work=lambda _dispatch: said(text))
    court.write(a_prose_step(output={"type": "array"}), bodies=())
    assert court.run().run["status"] == "failed"
    assert place.output("a") == text


def test_a_miss_goes_back_with_what_is_wrong_and_the_schema_stands_in_the_prompt(place: Place) -> None:
    answers = ["I found two.", '{"m": 1}', '{"n": [1]}']
    court = Court(place, work=lambda _dispatch: said(answers.pop(0)))
    court.write(a_prose_step(max_loops=3, output=LISTED), bodies=())
    assert court.run().exit_status == 0
    assert court.worked_ids == ["a:solo", "a:solo~l2", "a:solo~l3"]
    assert [bool(dispatch.item.artifact_schema) for dispatch in court.worked] == [True] * 3
    assert "n" in (court.worked[2].item.gate_feedback or "")


def test_a_resumed_step_reads_the_journalled_text_in_the_same_way(place: Place) -> None:
    court = Court(place, work=lambda _dispatch: said('{"n": [1]}'))
    court.write(a_prose_step(output=LISTED))
    assert court.run("no verdict").run["status"] == "blocked"
    run_id = place.row("SELECT id FROM workflow_runs")["id"]
    runs.resume(place.db, run_id, at="2027-01-15T08:00:00.000Z")
    assert court.run('{"complete": true}').exit_status == 0
    assert (court.worked_ids, place.output("a")) == (["a:solo"], {"n": [1]})


def test_a_command_prints_text_unless_its_unit_has_a_schema(place: Place) -> None:
    place.write(a_step("a", *sh("echo '{\"n\": [1]}'")) | {"output": LISTED})
    assert place.run().run["status"] == "failed"
