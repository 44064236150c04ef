"""Freezing resolves every default once, the same way every time."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from freezing import TRUE, a_step, document, frozen, settings, unit_of

from akm.workflow.freezing.freeze import freeze, host_width
from akm.workflow.parsing.compile import compile as compile_workflow
from akm.workflow.parsing.document import Budget, Defaults, Document, Exec, Gate, Map, Retry, Route, Unit
from akm.workflow.plan import MapNode, RouteNode
from akm.workflow.plan_text import plan_json


def everything() -> Document:
    return document(
        a_step("plain"),
        a_step(
            "mapped",
            None,
            map=Map(
                "params.items", replace(TRUE, output={"type": "integer"}, on_error="continue"), 9, "vote"
            ),
        ),
        a_step("prose", Unit(llm={"temperature": 0.5}, output={}), gate=Gate(("It works.",), 3)),
        a_step("pick", None, route=Route("params.x", (("a", "child"), ("b", "plain2")), "child")),
        a_step(
            "child", Unit(workflow="workflows/other", bindings={"b": {"from": "params.x"}, "a": [1, None]})
        ),
        a_step(
            "plain2",
            Unit(
                exec=Exec(("sh", "-c", ""), "sub/dir", ("PATH_X",)),
                timeout="none",
                isolation="worktree",
                retry=Retry(2, ("timeout",)),
                env=("env/prod", "env/prod"),
            ),
            inputs=("steps.plain.output",),
            output={"type": "string"},
            gate=Gate(approve=True),
        ),
        params={"x": {"type": "string"}, "items": {}},
        budget=Budget(max_units=5, max_tokens=None),
    )


def test_a_worktree_is_frozen_with_its_commit_and_nothing_else_is(tmp_path: Path) -> None:
    plan = freeze(everything(), settings(tmp_path, commit="c0ffee")).plan
    assert {step.step_id: step.unit.commit for step in plan.steps if step.unit} == {
        **dict.fromkeys(("plain", "mapped", "prose", "child")),
        "plain2": "c0ffee",
    }
    assert plan_json.decode(plan_json.encode(plan)) == plan


def test_two_freezes_give_the_same_text(tmp_path: Path) -> None:
    first, second = (plan_json.encode(freeze(everything(), settings(tmp_path)).plan) for _ in range(2))
    assert first == second


def test_a_frozen_plan_reads_back_as_an_equal_plan(tmp_path: Path) -> None:
    plan = freeze(everything(), settings(tmp_path)).plan
    text = plan_json.encode(plan)
    assert plan_json.decode(text) == plan
    assert plan_json.encode(plan_json.decode(text)) == text


def test_real_files_freeze_and_read_back(tmp_path: Path) -> None:
    folder = Path(__file__).parents[3] / "shared" / "data" / "workflows"
    if not folder.is_dir():
        pytest.skip("the folder of real workflow files is not here")
    plans = []
    for path in sorted(folder.glob("*.md")):
        compiled = compile_workflow(path.read_bytes(), name=path.name)
        if compiled.document is not None:
            plans.append(freeze(compiled.document, settings(tmp_path)).plan)
    assert plans
    for plan in plans:
        assert plan_json.decode(plan_json.encode(plan)) == plan


def test_nodes_are_named_after_their_step(tmp_path: Path) -> None:
    steps = freeze(everything(), settings(tmp_path)).plan.steps
    assert [step.root.id for step in steps] == [
        "plain",
        "mapped.map",
        "prose",
        "pick.route",
        "child",
        "plain2",
    ]
    assert [step.gate.id for step in steps][:2] == ["plain.gate", "mapped.gate"]
    assert steps[1].unit is not None
    assert steps[1].unit.id == "mapped.unit"
    assert [step.sequence_index for step in steps] == list(range(6))
    assert isinstance(steps[3].root, RouteNode)
    assert steps[3].root.when == (("a", "child"), ("b", "plain2"))


@pytest.mark.parametrize(
    ("authored", "default", "expected"),
    [(None, 4, 4), (3, 4, 3), (500, 4, 64), (None, 500, 64), (None, 0, 1)],
)
def test_a_map_is_as_wide_as_written_or_configured_and_never_wider_than_64(
    authored: int | None, default: int, expected: int, tmp_path: Path
) -> None:
    step = a_step(unit=None, map=Map("params.x", TRUE, authored))
    root = frozen(step, tmp_path, default_map_concurrency=default).root
    assert isinstance(root, MapNode)
    assert root.concurrency == expected


@pytest.mark.parametrize(
    ("cores", "configured", "expected"),
    [(1, None, 8), (2, None, 8), (4, None, 16), (100, None, 64), (4, 3, 3), (4, 99, 16), (4, 0, 1)],
)
def test_a_host_runs_four_units_per_core_within_bounds(
    cores: int, configured: int | None, expected: int
) -> None:
    assert host_width(cores, configured) == expected


def test_on_error_is_inherited_and_fails_by_default(tmp_path: Path) -> None:
    keep_on = Defaults(on_error="continue")
    assert unit_of(a_step(), tmp_path).on_error == "fail"
    assert unit_of(a_step(), tmp_path, defaults=keep_on).on_error == "continue"
    assert unit_of(a_step(unit=replace(TRUE, on_error="fail")), tmp_path, defaults=keep_on).on_error == "fail"


def test_a_map_is_four_wide_when_nobody_says_otherwise(tmp_path: Path) -> None:
    root = frozen(a_step(unit=None, map=Map("params.x", TRUE)), tmp_path).root
    assert isinstance(root, MapNode)
    assert root.concurrency == 4
