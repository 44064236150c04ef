"""Whether a run can be gone on with is said before anybody tries."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import pytest

from akm.engine.recovery import continuing
from akm.workflow.plan import IR_VERSION

STEPS = {"first": "completed", "second": "pending"}
HERE = {"requestedRoot": "/", "realRoot": "/"}
SHELL = {"kind": "shell", "exec": {"command": ["true"], "timeoutMs": None}, "cwdIdentity": HERE}


def a_plan(**targets: Any) -> dict[str, Any]:
    """Build a plan of two steps; `targets` names what a step starts."""
    return {
        "steps": [
            {"stepId": name, "root": {"kind": "unit", "frozenTarget": targets.get(name, SHELL)}}
            for name in STEPS
        ]
    }


def a_command(**runner: Any) -> dict[str, Any]:
    return {"kind": "command", "request": {}, "runner": runner, "cwdIdentity": HERE}


@pytest.mark.parametrize("version", [None, 5, 6, 7])
def test_a_plan_that_can_be_read_is_no_obstacle_whatever_its_version(version: int | None) -> None:
    plan = a_plan(second=a_command(kind="agent", command=["claude"]))
    assert continuing.obstacle(json.dumps(plan), version, STEPS) is None


@pytest.mark.parametrize(
    ("text", "version", "reason"),
    [
        (None, 5, "it has no frozen plan"),
        ("{", 5, "its plan, of format 5, cannot be read any more (the plan: is not JSON)"),
        ("{}", None, "its plan, of format unknown, cannot be read any more (steps: is missing)"),
        ("{}", 99, f"its plan has format 99, newer than this akm's {IR_VERSION}; upgrade akm"),
    ],
)
def test_a_plan_that_cannot_be_read_says_why(text: str | None, version: int | None, reason: str) -> None:
    assert continuing.obstacle(text, version, STEPS) == reason


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        (a_command(kind="llm"), "names a model without its endpoint"),
        (a_command(kind="agent", profile="p"), "names an agent without its command"),
        (SHELL | {"cwdIdentity": None}, "has no base directory in its plan"),
        (
            SHELL | {"cwdIdentity": {"realRoot": "/gone/away"}},
            "its directory /gone/away is not on this machine",
        ),
        ({"kind": "child-workflow", "ref": "a//workflows/b"}, "runs another workflow"),
    ],
)
def test_only_what_is_left_to_do_must_be_possible(target: dict[str, Any], reason: str) -> None:
    ahead = continuing.obstacle(json.dumps(a_plan(second=target)), 6, STEPS)
    assert ahead is not None
    assert reason in ahead
    assert continuing.obstacle(json.dumps(a_plan(first=target)), 6, STEPS) is None


def test_a_run_and_its_plan_must_have_the_same_steps() -> None:
    text = json.dumps(a_plan())
    assert continuing.obstacle(text, 6, {"first": "completed"}) == 'step "second" of its plan has no row'
    more = STEPS | {"third": "pending"}
    assert continuing.obstacle(text, 6, more) == 'its plan has no step "third"'


def test_a_rubric_without_a_judge_is_an_obstacle() -> None:
    plan = deepcopy(a_plan())
    plan["steps"][1]["gate"] = {"criteria": ["It is good."]}
    assert "rubric" in (continuing.obstacle(json.dumps(plan), 6, STEPS) or "")


@pytest.mark.parametrize(
    ("judge", "reason"),
    [
        ({"kind": "llm", "baseUrl": "http://localhost/v1"}, None),
        ({"kind": "agent", "command": ["claude"]}, None),
        ({"kind": "llm"}, 'the judge of step "second" names a model without its endpoint'),
        ({"kind": "agent", "profile": "p"}, 'the judge of step "second" names an agent without its command'),
    ],
)
def test_a_judge_must_be_one_that_can_be_asked_here(judge: dict[str, Any], reason: str | None) -> None:
    plan = deepcopy(a_plan())
    target = a_command(**judge) | {"request": {"model": "m"}}
    plan["steps"][1]["gate"] = {"criteria": ["It is good."], "frozenJudge": target}
    said = continuing.obstacle(json.dumps(plan), 6, STEPS)
    assert said == reason if reason is None else str(said).startswith(reason)


def test_a_person_who_decides_needs_no_judge() -> None:
    plan = deepcopy(a_plan())
    plan["steps"][1]["gate"] = {"criteria": ["It is good."], "approve": True}
    assert continuing.obstacle(json.dumps(plan), 6, STEPS) is None
