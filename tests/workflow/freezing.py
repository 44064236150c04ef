"""Builders of documents and settings for tests of freezing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from akm.workflow.freezing.freeze import Engine, FreezeSettings, freeze
from akm.workflow.freezing.freeze_settings import Child
from akm.workflow.parsing.document import Defaults, Document, Exec, Gate, Step, Unit
from akm.workflow.plan import GateNode, Plan, PlanStep, ShellTarget, UnitNode

WRITER = Engine("writer", "agent", command=("my-agent", "--print"), pass_env=("HOME_OF_AGENT",), model="fast")
CHECKER = Engine("checker", "llm", settings={"base_url": "https://models.example/v1", "model": "small"})
ENGINES = {"writer": WRITER, "checker": CHECKER}
PARAMS = {"a": {}, "b": {}, "c": {"default": 7}}


def a_child(ref: str) -> Child:
    """Freeze the child that every test of this folder runs; its parameters are `PARAMS`."""
    node = UnitNode("x", "Do.", ShellTarget(("true",), "h", None))
    plan = Plan("child", (PlanStep("x", 0, node, GateNode("x.gate", "x")),), 8, params=PARAMS)
    return Child(f"project//{ref}", plan)


TRUE = Unit(exec=Exec(("true",)))


def settings(root: Path, **changes: Any) -> FreezeSettings:
    given: dict[str, Any] = {
        "engines": ENGINES,
        "root": root,
        "source_path": "workflows/w.md",
        "strict": True,
        "cores": 2,
        "default_engine": "writer",
        "judge_engine": "checker",
        "models": {"fast": {"writer": "small-model"}},
        "child": a_child,
    }
    return FreezeSettings(**{**given, **changes})


def document(*steps: Step, **changes: Any) -> Document:
    return Document("w", steps, source_hash="0" * 64, **changes)


def a_step(step_id: str = "a", unit: Unit | None = TRUE, **changes: Any) -> Step:
    given: dict[str, Any] = {"instructions": "Do it.", "gate": Gate(), "start": 10, "end": 12, "unit": unit}
    return Step(step_id, **{**given, **changes})


def frozen(step: Step, root: Path, *, defaults: Defaults | None = None, **changes: Any) -> PlanStep:
    written = document(step, defaults=defaults or Defaults())
    return freeze(written, settings(root, **changes)).plan.steps[0]


def unit_of(step: Step, root: Path, **changes: Any) -> UnitNode:
    unit = frozen(step, root, **changes).unit
    assert unit is not None
    return unit
