"""Whether the programs of agent engines are there, seen from here: another machine may say otherwise."""

from __future__ import annotations

import os
from collections.abc import Iterator

from akm.engine.runners import program
from akm.workflow.plan import CommandTarget, Plan


def lacks(plan: Plan) -> tuple[str, ...]:
    """Say, one sentence each, which engines of a plan have a program that is not there."""
    return tuple(dict.fromkeys(_lacks(plan)))


def find(name: str, *, cwd: str) -> str | None:
    """Return the file that a unit working in `cwd` would start as `name`; None when there is none."""
    return program.find(name, cwd=cwd, path=os.environ.get("PATH"))


def _lacks(plan: Plan) -> Iterator[str]:
    for target in _targets(plan):
        argv, identity = target.runner.get("command"), target.cwd_identity
        if target.runner.get("kind") != "agent" or not argv or identity is None:
            continue
        if find(argv[0], cwd=identity.real_root) is None:
            what = f'The program "{argv[0]}" of engine "{target.request.get("engine")}"'
            yield f"{what} is not installed: {program.why_not_found(argv[0], cwd=identity.real_root)}."


def _targets(plan: Plan) -> Iterator[CommandTarget]:
    for step in plan.steps:
        if step.unit and isinstance(step.unit.target, CommandTarget):
            yield step.unit.target
        if step.gate.judge:
            yield step.gate.judge
