"""The frozen plan: everything a run will ever need, with every decision taken.

`akm.workflow.plan_text` writes it as canonical JSON for the run's row, and reads it back tolerantly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from akm.workflow.parsing.document import Budget, OnError, Retry, Schema
from akm.workflow.prices import Price

IR_VERSION = 6


@dataclass(frozen=True, slots=True)
class CwdIdentity:
    """Where a unit runs: the base directory as asked for and as it really was, with device and inode."""

    requested_root: str
    real_root: str
    device: int | None = None
    inode: int | None = None


@dataclass(frozen=True, slots=True)
class InputBinding:
    """One `with:` entry: a literal `value`, or a reference in `from_` with the parameter's schema."""

    kind: Literal["literal", "reference"]
    name: str
    value: Any = None
    from_: str | None = None
    schema: Schema | None = None


@dataclass(frozen=True, slots=True)
class EnvBinding:
    """One source of environment for a unit, by name only: values are never frozen."""

    kind: Literal["pass-through", "env-ref", "literal"]
    name: str
    value: str | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ShellTarget:
    """Start `command` directly. `timeout_ms` None means unbounded."""

    command: tuple[str, ...]
    content_hash: str
    cwd_identity: CwdIdentity | None
    cwd: str | None = None
    pass_env: tuple[str, ...] = ()
    timeout_ms: int | None = None
    kind: Literal["shell"] = "shell"


@dataclass(frozen=True, slots=True)
class CommandTarget:
    """Hand prose to an engine.

    `request` = {engine, model, timeoutMs, content, outputSchema, inference}.
    `runner` = {kind: agent|llm|sdk, ...}: the engine's profile without any credential value. For an agent:
    {kind, engine, preset, command: [argv], prompt: stdin|argument, passEnv: [names], timeoutMs} and, where
    the preset has them, sessionArguments, promptArguments, output (see `akm.workflow.presets`). For an llm:
    {kind, engine, baseUrl, apiKeyEnv, maxTokens, temperature, extraParams, supportsJsonSchema, concurrency,
    timeoutMs}, of which only kind, engine, baseUrl and timeoutMs are always there.
    """

    content_hash: str
    request: Mapping[str, Any]
    runner: Mapping[str, Any]
    ref: str | None = None
    concurrency: int | None = None
    cwd_identity: CwdIdentity | None = None
    kind: Literal["command"] = "command"


@dataclass(frozen=True, slots=True)
class ChildTarget:
    """Run another workflow as a child of this one."""

    ref: str
    content_hash: str
    plan_hash: str | None = None
    frozen_plan: Mapping[str, Any] | None = None
    input_bindings: tuple[InputBinding, ...] = ()
    kind: Literal["child-workflow"] = "child-workflow"


Target = ShellTarget | CommandTarget | ChildTarget


@dataclass(frozen=True, slots=True)
class Source:
    """Where in the file a node was written: path relative to its bundle, and 1-based lines."""

    path: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class UnitNode:
    """One dispatch: `id` is the step id, or `<step>.unit` under a map. `schema` checks one unit's output.

    `commit` is what the unit's worktree is made of; None with isolation `worktree`: there was no commit.
    """

    id: str
    instructions: str
    target: Target
    inputs: tuple[str, ...] = ()
    schema: Schema | None = None
    retry: Retry | None = None
    on_error: OnError = "fail"
    env: tuple[str, ...] = ()
    environment: tuple[EnvBinding, ...] = ()
    isolation: Literal["none", "worktree"] = "none"
    source: Source | None = None
    commit: str | None = None
    kind: Literal["unit"] = "unit"


@dataclass(frozen=True, slots=True)
class MapNode:
    """A fan-out of `template` over the list that `over` refers to; `id` is `<step>.map`."""

    id: str
    over: str
    template: UnitNode
    concurrency: int
    reducer: Literal["collect", "vote"] = "collect"
    source: Source | None = None
    kind: Literal["map"] = "map"


@dataclass(frozen=True, slots=True)
class RouteNode:
    """A choice of one later step; `id` is `<step>.route`."""

    id: str
    input: str
    when: tuple[tuple[str, str], ...]
    default: str | None = None
    kind: Literal["route"] = "route"


@dataclass(frozen=True, slots=True)
class GateNode:
    """The check after a step. With `approve` a person decides; else, without criteria, it is inert.

    `value_schema` checks what that person gives with the approval.
    `judge` None with criteria and without `approve`: nobody can judge.
    """

    id: str
    step_id: str
    criteria: tuple[str, ...] = ()
    max_loops: int = 1
    judge: CommandTarget | None = None
    approve: bool = False
    value_schema: Schema | None = None


@dataclass(frozen=True, slots=True)
class PlanStep:
    """One step of the spine. `output_schema` checks the step's artifact, after reduction."""

    step_id: str
    sequence_index: int
    root: UnitNode | MapNode | RouteNode
    gate: GateNode
    output_schema: Schema | None = None

    @property
    def unit(self) -> UnitNode | None:
        """Return the node that is dispatched: the unit, the map's template, or None for a route."""
        if isinstance(self.root, MapNode):
            return self.root.template
        return self.root if isinstance(self.root, UnitNode) else None


@dataclass(frozen=True, slots=True)
class Plan:
    """A frozen workflow. `params` maps a declared name to its schema; None when the file declares none.

    `prices` holds those that were set when it was frozen, of the models that its units and judges use.
    """

    title: str
    steps: tuple[PlanStep, ...]
    max_concurrency: int
    source_hash: str | None = None
    params: Mapping[str, Schema] | None = None
    budget: Budget = field(default_factory=Budget)
    prices: Mapping[str, Price] = field(default_factory=dict)
    ir_version: int = IR_VERSION

    def step(self, step_id: str) -> PlanStep | None:
        """Find a step by id; None when the plan has no such step."""
        return next((step for step in self.steps if step.step_id == step_id), None)
