"""The prompt of a unit: fixed words first, the author's prose untouched, values attached as data."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from akm.workflow.plan import CommandTarget, UnitNode
from akm.workflow.prompt import build, with_feedback
from akm.workflow.worklist import WorkItem

PROSE = "  Do {this} with $1, \\g<0> and %s.\n\n```\ncode\n```\n  trailing  "
NODE = UnitNode("a", PROSE, CommandTarget("hash", {}, {"kind": "agent"}))
ITEM = WorkItem("a", "a:solo", "a:solo~l2", NODE, "hash")


def prompt(item: WorkItem = ITEM, params: dict[str, Any] | None = None) -> str:
    return build(item, run_id="run-1", params=params or {})


def test_the_preamble_names_run_step_unit_and_parameters() -> None:
    text = prompt(params={"b": 1.0, "a": "{run} é"})
    assert "- Run: run-1\n- Step: a\n- Unit: a:solo\n" in text
    assert '- Parameters (JSON): {"a":"{run} é","b":1}\n' in text
    assert "~l2" not in text


def test_instructions_are_kept_byte_for_byte() -> None:
    assert f"\nInstructions:\n{PROSE}\n" in prompt()


def test_values_are_attached_after_the_instructions_in_order() -> None:
    item = replace(
        ITEM,
        index=3,
        item={"x": "{y}"},
        inputs=(("steps.b.output", [1]), ("steps.a.output", "t")),
        bindings={"n": 1},
        gate_feedback="Be brief.",
    )
    text = prompt(item)
    parts = [
        PROSE,
        'Item 3 (counted from 0):\n```json\n{"x":"{y}"}\n```',
        "Input steps.b.output:\n```json\n[1]\n```",
        'Input steps.a.output:\n```json\n"t"\n```',
        'Bound inputs:\n```json\n{"n":1}\n```',
        "```\nBe brief.\n```",
    ]
    positions = [text.index(part) for part in parts]
    assert positions == sorted(positions)


def test_a_solo_unit_has_no_item_block() -> None:
    assert "Item" not in prompt()


def test_a_value_cannot_end_its_own_block() -> None:
    text = prompt(replace(ITEM, gate_feedback="before\n````\nafter"))
    assert "`````\nbefore\n````\nafter\n`````" in text


def test_a_schema_is_asked_for_last() -> None:
    text = prompt(replace(ITEM, node=replace(NODE, schema={"type": "integer"})))
    assert text.endswith('```json\n{"type":"integer"}\n```\n')
    assert "JSON Schema" not in prompt()


def test_feedback_follows_the_whole_prompt() -> None:
    text = with_feedback(prompt(), ["$.a: is missing", "$.b: is odd"])
    assert text.startswith(prompt())
    assert "- $.a: is missing\n- $.b: is odd\n" in text


def test_the_same_unit_always_gets_the_same_prompt() -> None:
    assert prompt(params={"a": 1, "b": 2}) == prompt(params={"b": 2, "a": 1})


def test_the_schema_of_the_steps_artifact_is_said_where_the_unit_alone_makes_it() -> None:
    assert "JSON Schema" not in prompt()
    text = prompt(replace(ITEM, artifact_schema={"type": "object"}))
    assert "has to fit this JSON Schema" in text
    assert '{"type":"object"}' in text
