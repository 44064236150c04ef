"""What a step dispatches: ids made of content, hashes that notice every change, and what stops a step."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from akm.workflow.hashing import canonical, sha256_hex
from akm.workflow.plan import (
    ChildTarget,
    EnvBinding,
    GateNode,
    InputBinding,
    MapNode,
    PlanStep,
    RouteNode,
    ShellTarget,
    UnitNode,
)
from akm.workflow.worklist import WorkItem, WorkListError, build

SHELL = ShellTarget(("true",), "hash", None, timeout_ms=5)
UNIT = UnitNode("a", "Do it.", SHELL)


def a_step(root: UnitNode | MapNode | RouteNode) -> PlanStep:
    return PlanStep("a", 0, root, GateNode("a.gate", "a"))


def a_map(template: UnitNode | None = None) -> PlanStep:
    return a_step(MapNode("a.map", "params.items", template or replace(UNIT, id="a.unit"), 4))


def solo(unit: UnitNode = UNIT, **given: Any) -> WorkItem:
    [item] = build(a_step(unit), **{"run_params": {}, "outputs": {}, **given})
    return item


def mapped(items: Any, **given: Any) -> list[WorkItem]:
    return build(a_map(), run_params={"items": items}, outputs={}, **given)


def test_a_solo_unit_has_one_fixed_id() -> None:
    item = solo()
    assert (item.unit_id, item.journal_id, item.parent_unit_id, item.index) == (
        "a:solo",
        "a:solo",
        None,
        None,
    )


def test_a_mapped_unit_s_id_is_the_digest_of_its_item() -> None:
    [first, second] = mapped([{"b": 1.0, "a": "é"}, 3])
    digest = sha256_hex('{"a":"é","b":1}')
    assert first.unit_id == first.journal_id == f"a.unit:{digest}"
    assert (first.parent_unit_id, first.index, first.item) == ("a.map", 0, {"b": 1.0, "a": "é"})
    assert (second.index, second.item) == (1, 3)


def test_equal_items_are_numbered() -> None:
    ids = [item.unit_id for item in mapped(["x", "y", "x", 1, "x", 1.0])]
    x, y, one = (sha256_hex(canonical(value)) for value in ("x", "y", 1))
    assert ids == [
        f"a.unit:{x}",
        f"a.unit:{y}",
        f"a.unit:{x}#2",
        f"a.unit:{one}",
        f"a.unit:{x}#3",
        f"a.unit:{one}#2",
    ]


def test_reordering_a_list_keeps_ids() -> None:
    forwards = [item.unit_id for item in mapped([1, 2, {"a": 1}])]
    backwards = [item.unit_id for item in mapped([{"a": 1}, 2, 1])]
    assert forwards == backwards[::-1]


def test_true_and_one_are_different_items() -> None:
    assert len({item.unit_id for item in mapped([True, 1, "1", "true"])}) == 4


def test_a_later_gate_loop_changes_the_journal_id_alone() -> None:
    [item] = mapped(["x"], loop=3, gate_feedback="Try harder.")
    assert item.journal_id == f"{item.unit_id}~l3"
    assert item.gate_feedback == "Try harder."
    assert item.unit_id == mapped(["x"])[0].unit_id
    assert solo(loop=2).journal_id == "a:solo~l2"
    assert solo(loop=1).journal_id == "a:solo"


def test_an_empty_list_is_no_work_and_neither_is_a_route() -> None:
    assert mapped([]) == []
    assert build(a_step(RouteNode("a.route", "params.x", ())), run_params={}, outputs={}) == []


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({}, "params.items has no value"),
        ({"items": None}, "params.items is null"),
        ({"items": {"a": 1}}, "params.items is not an array"),
        ({"items": "abc"}, "params.items is not an array"),
        ({"items": [1, 2, None]}, r"params.items\[2\] is null"),
        ({"items": [1, b"sekret"]}, r"params.items\[1\]|type bytes"),
        ({"items": [float("nan")]}, "not finite"),
    ],
)
def test_a_list_that_cannot_be_worked_through_stops_the_step(params: dict[str, Any], message: str) -> None:
    with pytest.raises(WorkListError, match=message) as caught:
        build(a_map(), run_params=params, outputs={})
    assert str(caught.value).startswith('Step "a" cannot start: ')
    assert "sekret" not in str(caught.value)


def test_inputs_are_resolved_in_authored_order() -> None:
    unit = replace(UNIT, inputs=("steps.y.output", "steps.x.output.n[1]"))
    item = solo(unit, outputs={"x": {"n": [1, 2]}, "y": "text"})
    assert item.inputs == (("steps.y.output", "text"), ("steps.x.output.n[1]", 2))


def test_an_input_that_leads_nowhere_stops_the_step() -> None:
    with pytest.raises(WorkListError, match=r'^Step "a" cannot start: steps\.x\.output does not exist'):
        solo(replace(UNIT, inputs=("steps.x.output",)))


def test_the_hash_is_that_of_the_whole_canonical_text() -> None:
    unit = replace(UNIT, inputs=("steps.x.output",), schema={"type": "string"})
    item = solo(unit, outputs={"x": 1.0}, run_params={"p": "é"}, gate_feedback="no")
    body = {
        "hashVersion": 7,
        "role": "unit",
        "stepId": "a",
        "nodeId": "a",
        "template": "Do it.",
        "item": None,
        "inputs": [{"reference": "steps.x.output", "value": 1}],
        "params": {"p": "é"},
        "frozenTarget": {
            "kind": "shell",
            "contentHash": "hash",
            "exec": {"command": ["true"], "timeoutMs": 5},
        },
        "environment": [],
        "schema": {"type": "string"},
        "isolation": "none",
        "gateFeedback": "no",
    }
    assert item.input_hash == sha256_hex("akm.workflow.unit\0v7\0" + canonical(body))


def test_whatever_changes_a_unit_s_work_changes_its_hash() -> None:
    units = [
        UNIT,
        replace(UNIT, instructions="Do that."),
        replace(UNIT, id="b"),
        replace(UNIT, schema={}),
        replace(UNIT, isolation="worktree"),
        replace(UNIT, environment=(EnvBinding("pass-through", "A"),)),
        replace(UNIT, target=replace(SHELL, timeout_ms=6)),
        replace(UNIT, target=replace(SHELL, command=("false",))),
    ]
    hashes = [solo(unit).input_hash for unit in units]
    hashes += [solo(run_params={"p": 1}).input_hash, solo(gate_feedback="x").input_hash]
    hashes += [item.input_hash for item in mapped([1, 2])]
    assert len(set(hashes)) == len(hashes)


def test_the_same_work_has_the_same_hash_wherever_it_stands_in_the_list() -> None:
    params = {"items": ["x", "y", "x"]}
    first, _, third = build(a_map(), run_params=params, outputs={})
    assert first.input_hash == third.input_hash


def test_a_child_s_bindings_are_resolved_and_hashed() -> None:
    bindings = (
        InputBinding("literal", "a", value=[1]),
        InputBinding("reference", "b", from_="params.p", schema={"type": "integer"}),
    )
    unit = replace(UNIT, target=ChildTarget("workflows/x", "hash", input_bindings=bindings))
    item = solo(unit, run_params={"p": 5})
    assert item.bindings == {"a": [1], "b": 5}
    with pytest.raises(WorkListError, match=r"with\.b: ") as caught:
        solo(unit, run_params={"p": "sekret"})
    assert "sekret" not in str(caught.value)
