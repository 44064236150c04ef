"""Dispatches for the runners' tests, with defaults for everything a test does not speak of."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from akm.engine.abort import Abort
from akm.engine.runners import choose
from akm.engine.runners.base import Dispatch, Outcome
from akm.workflow.plan import CommandTarget, CwdIdentity, EnvBinding, ShellTarget, Target, UnitNode
from akm.workflow.worklist import WorkItem


def a_dispatch(target: Target, **overrides: Any) -> Dispatch:
    """Build a dispatch of one unit; `schema`, `bound` and the fields of item and dispatch can be given."""
    node = UnitNode(
        "build",
        overrides.pop("instructions", "Say what you found."),
        target,
        schema=overrides.pop("schema", None),
        environment=tuple(overrides.pop("bound", ())),
    )
    item = WorkItem(
        "build",
        overrides.pop("unit_id", "build:solo"),
        "build:solo",
        node,
        "0" * 64,
        index=overrides.pop("index", None),
        item=overrides.pop("item", None),
        inputs=overrides.pop("inputs", ()),
    )
    values = {"params": {}, "abort": Abort(), "environment": dict(os.environ)} | overrides
    return Dispatch(run_id="run-1", attempt=1, dispatch_id="dispatch-1", item=item, **values)


def a_command(base: Path, *argv: str, **overrides: Any) -> ShellTarget:
    """Build an exec target with `base` as its base directory."""
    identity = CwdIdentity(str(base), str(base))
    return ShellTarget(argv, "0" * 64, identity, **({"timeout_ms": 60_000} | overrides))


def an_agent(base: Path, *argv: str, timeout_ms: int | None = 60_000, **runner: Any) -> CommandTarget:
    """Build a command target whose engine is the program `argv`."""
    profile = {"kind": "agent", "engine": "writer", "preset": "generic", "command": list(argv)} | runner
    request = {"engine": "writer", "timeoutMs": timeout_ms}
    return CommandTarget("0" * 64, request, profile, cwd_identity=CwdIdentity(str(base), str(base)))


def a_model(
    base_url: str, *, timeout_ms: int | None = 60_000, inference: dict[str, Any] | None = None, **runner: Any
) -> CommandTarget:
    """Build a command target whose engine is the model `small` at an endpoint."""
    profile = {"kind": "llm", "engine": "checker", "baseUrl": base_url} | runner
    request = {"engine": "checker", "model": "small", "timeoutMs": timeout_ms}
    return CommandTarget("0" * 64, request | ({"inference": inference} if inference else {}), profile)


def python(code: str) -> tuple[str, ...]:
    """Return an argv that runs `code` without reading anything from the environment or site-packages."""
    return (sys.executable, "-I", "-S", "-c", code)


def run(dispatch: Dispatch) -> Outcome:
    """Run a dispatch with the runner of its kind."""
    runner = choose.runner_for(dispatch.item.node)
    assert runner is not None
    return runner(dispatch)


def passed_through(*names: str) -> list[EnvBinding]:
    """Build pass-through bindings of names."""
    return [EnvBinding("pass-through", name) for name in names]
