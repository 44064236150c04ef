"""What cannot be run yet is refused by name, and nothing else is."""

from __future__ import annotations

from typing import Any

import pytest

from akm.workflow.plan import (
    ChildTarget,
    CommandTarget,
    EnvBinding,
    GateNode,
    MapNode,
    Plan,
    PlanStep,
    RouteNode,
    ShellTarget,
    UnitNode,
)
from akm.workflow.support import not_yet

SHELL = ShellTarget(("true",), "h", None)


def unit(target: Any = SHELL, **changes: Any) -> UnitNode:
    return UnitNode("a", "Do it.", target, **changes)


def sentences(root: Any, **gate: Any) -> list[str]:
    step = PlanStep("a", 0, root, GateNode("a.gate", "a", **gate))
    return not_yet(Plan("t", (step,), 8))


@pytest.mark.parametrize(
    "root",
    [
        unit(),
        unit(CommandTarget("h", {}, {"kind": "agent"})),
        unit(ChildTarget("workflows/x", "h")),
        unit(CommandTarget("h", {}, {"kind": "llm"})),
        unit(environment=(EnvBinding("pass-through", "A"), EnvBinding("env-ref", "env/x"))),
        unit(isolation="worktree"),
        MapNode("a.map", "params.x", unit(), 4),
        MapNode("a.map", "params.x", unit(), 4, "vote"),
        RouteNode("a.route", "params.x", ()),
    ],
)
def test_what_runs_today_is_let_through(root: Any) -> None:
    assert sentences(root, max_loops=3, criteria=("Good.",), approve=True) == []


@pytest.mark.parametrize(
    ("root", "gate", "word"),
    [
        (unit(CommandTarget("h", {}, {"kind": "sdk"})), {}, "sdk"),
    ],
)
def test_what_does_not_run_yet_is_told_with_its_step(root: Any, gate: dict[str, Any], word: str) -> None:
    found = sentences(root, **gate)
    assert len(found) == 1
    assert found[0].startswith('Step "a" ')
    assert word in found[0]
