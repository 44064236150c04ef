"""Which stored plans can still be read, and which field is named when one cannot."""

from __future__ import annotations

import json
from typing import Any

import pytest

from akm.workflow.parsing.document import Budget
from akm.workflow.plan import GateNode, MapNode, Plan, PlanStep, ShellTarget, UnitNode
from akm.workflow.plan_text.plan_json import PlanUndecodable, decode, encode
from akm.workflow.prices import Price

TARGET = "steps[0].root.frozenTarget"
CHILD = {"kind": "child-workflow", "ref": "r"}
SHELL_JSON = '{"kind": "shell", "exec": {"command": ["true"], "timeoutMs": null}}'


SMALLEST = Plan(
    "t",
    (
        PlanStep(
            "a", 0, UnitNode("a", "Do it.", ShellTarget(("true",), "hash", None)), GateNode("a.gate", "a")
        ),
    ),
    8,
)


def stored(**changes: Any) -> dict[str, Any]:
    """Return a stored plan as JSON with one path changed; `root__kind` stands for steps[0].root.kind."""
    plan: dict[str, Any] = json.loads(encode(SMALLEST))
    for path, value in changes.items():
        at: Any = plan if path.startswith("plan__") else plan["steps"][0]
        *parents, last = path.removeprefix("plan__").split("__")
        for parent in parents:
            at = at[parent]
        at[last] = value
    return plan


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ([], "the plan: is not an object"),
        ({}, "steps: is missing"),
        ({"steps": []}, "steps: is empty"),
        ({"steps": {}}, "steps: is not a list"),
        ({"steps": [5]}, "steps[0]: is not an object"),
        ({"steps": [{"stepId": "a"}]}, "steps[0].root: is missing"),
        (stored(stepId=None), "steps[0].stepId: is missing"),
        (stored(root__kind="loop"), "steps[0].root.kind: names an unknown kind of step"),
        (stored(root__frozenTarget=None), "steps[0].root.frozenTarget: is missing"),
        (stored(root__frozenTarget__kind="x"), f"{TARGET}.kind: names an unknown kind"),
        (stored(root__frozenTarget__exec__command=[]), f"{TARGET}.exec.command: is not"),
        (stored(root__frozenTarget__exec__command=["a", 5]), f"{TARGET}.exec.command: is not"),
        (stored(root__frozenTarget__exec={"command": ["a"]}), f"{TARGET}.exec.timeoutMs: is"),
        (stored(root__frozenTarget__exec__timeoutMs="5"), f"{TARGET}.exec.timeoutMs: is"),
        (stored(root__frozenTarget={"kind": "command", "request": {}}), f"{TARGET}.runner: is"),
        (
            stored(root__frozenTarget={"kind": "command", "runner": {"kind": "agent"}}),
            f"{TARGET}.request: is missing",
        ),
        (stored(root__environment=[{"kind": "x"}]), "steps[0].root.environment[0].kind: names"),
        (
            stored(root__frozenTarget={**CHILD, "inputBindings": [{"kind": "x", "name": "n"}]}),
            f"{TARGET}.inputBindings[0].kind: names an unknown kind",
        ),
        (
            stored(root__frozenTarget={**CHILD, "frozenPlan": {"steps": []}}),
            f"{TARGET}.frozenPlan.steps: is empty",
        ),
        (
            stored(gate__criteria=["Good."], gate__frozenJudge={"kind": "shell"}),
            "steps[0].gate.frozenJudge.kind",
        ),
    ],
)
def test_a_plan_that_lacks_what_a_run_needs_is_refused_by_field(plan: Any, message: str) -> None:
    with pytest.raises(PlanUndecodable) as caught:
        decode(json.dumps(plan))
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "null"])
def test_what_is_no_plan_at_all_is_refused(text: str) -> None:
    with pytest.raises(PlanUndecodable, match=r"^the plan: is "):
        decode(text)


def test_a_plan_of_the_old_release_is_refused_at_its_inline_command() -> None:
    old = {
        "execution": {"engines": {}, "maxConcurrency": 1},
        "irVersion": 3,
        "steps": [
            {
                "stepId": "first",
                "root": {
                    "kind": "unit",
                    "id": "first",
                    "exec": {"command": ["true"], "timeoutMs": 600000},
                    "instructions": "Do the first thing.",
                    "isolation": "none",
                    "onError": "fail",
                },
            }
        ],
    }
    with pytest.raises(PlanUndecodable, match=r"^steps\[0\]\.root\.frozenTarget: is missing"):
        decode(json.dumps(old))


def test_trifles_are_filled_in_and_unknown_keys_ignored() -> None:
    plan = {
        "irVersion": 99,
        "future": {"x": 1},
        "budget": {"maxUnits": -1, "maxTokens": 10, "maxCost": "much"},
        "prices": {
            "good": {"input": 0, "output": 1.5, "future": 1},
            "half": {"input": 1},
            "odd": {"input": -1, "output": True},
            "text": "dear",
        },
        "params": ["a"],
        "paramSchemas": {"b": {"type": "string"}},
        "steps": [
            {
                "stepId": "m",
                "sequenceIndex": 7,
                "gate": {"maxLoops": 0, "criteria": ["", 5, "Good."], "frozenJudge": None},
                "root": {
                    "kind": "map",
                    "over": "params.a",
                    "concurrency": "wide",
                    "reducer": "sum",
                    "template": {"kind": "unit", "frozenTarget": {**json.loads(SHELL_JSON), "future": 1}},
                },
            },
            {"stepId": "n", "root": {"kind": "unit", "frozenTarget": json.loads(SHELL_JSON)}},
        ],
    }
    found = decode(json.dumps(plan))
    first, second = found.steps
    assert isinstance(first.root, MapNode)
    assert (found.ir_version, found.title, found.max_concurrency) == (99, "workflow", 1)
    assert found.budget == Budget(None, 10)
    assert found.prices == {"good": Price(0.0, 1.5)}
    assert found.params == {"a": {}, "b": {"type": "string"}}
    assert (first.sequence_index, second.sequence_index) == (0, 1)
    assert (first.root.id, first.root.concurrency, first.root.reducer) == ("m.map", 1, "collect")
    assert (first.root.template.id, first.root.template.on_error) == ("m.unit", "fail")
    assert (first.gate.max_loops, first.gate.criteria, first.gate.judge) == (1, ("Good.",), None)
    assert (second.gate.id, second.unit and second.unit.environment) == ("n.gate", ())


def test_a_judge_without_criteria_is_not_even_looked_at() -> None:
    plan = stored(gate__frozenJudge={"kind": "nonsense"})
    assert decode(json.dumps(plan)).steps[0].gate.judge is None
