"""From a parsed workflow file and the installation's settings to the plan that a run executes.

Every default is applied here, once, so that a run never asks for configuration again. Nothing is written and
no file is opened; of the base directory only its identity is looked up.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from akm.errors import UsageError
from akm.workflow.freezing.freeze_children import child_target
from akm.workflow.freezing.freeze_engines import Missing, judge_target, prose_target
from akm.workflow.freezing.freeze_prices import note_uncounted, used
from akm.workflow.freezing.freeze_runners import WIDEST
from akm.workflow.freezing.freeze_settings import Engine, FreezeSettings
from akm.workflow.freezing.freeze_targets import cwd_identity, environment, shell_target
from akm.workflow.parsing.document import Document, Map, Step, Unit
from akm.workflow.plan import (
    CommandTarget,
    CwdIdentity,
    EnvBinding,
    GateNode,
    MapNode,
    Plan,
    PlanStep,
    RouteNode,
    Source,
    Target,
    UnitNode,
)

__all__ = ["Engine", "FreezeSettings", "Frozen", "freeze", "host_width"]


@dataclass(frozen=True, slots=True)
class Frozen:
    """A plan, and what the person who starts it should hear."""

    plan: Plan
    warnings: tuple[str, ...] = ()


def freeze(document: Document, settings: FreezeSettings) -> Frozen:
    """Resolve everything; the same document and settings give the same plan.

    Raises ConfigError INVALID_CONFIG_FILE when `settings.strict` and an engine, a judge, or a price that
    `budget.max_cost` needs, is missing, and UsageError WORKFLOW_SOURCE_INVALID for what the file cannot ask
    of the engine it gets.
    """
    freezing = _Freezing(document, settings, cwd_identity(settings.root), Missing(settings.strict))
    steps = tuple(freezing.step(step, position) for position, step in enumerate(document.steps))
    prices = used(steps, settings.prices)
    if document.budget.max_cost is not None:
        note_uncounted(steps, prices, freezing.missing)
    plan = Plan(
        title=document.title,
        steps=steps,
        max_concurrency=host_width(settings.cores, settings.max_concurrency),
        source_hash=document.source_hash or None,
        params=document.params or None,
        budget=document.budget,
        prices=prices,
    )
    return Frozen(plan, tuple(freezing.missing.warnings))


def host_width(cores: int, configured: int | None = None) -> int:
    """Say how many units may run at once on a host: units mostly wait, so more than it has cores."""
    widest = min(WIDEST, max(8, 4 * cores))
    return widest if configured is None else min(widest, max(1, configured))


@dataclass(frozen=True, slots=True)
class _Freezing:
    """One freeze under way: what every step of it shares."""

    document: Document
    settings: FreezeSettings
    identity: CwdIdentity
    missing: Missing

    def step(self, step: Step, position: int) -> PlanStep:
        return PlanStep(
            step_id=step.id,
            sequence_index=position,
            root=self.root(step),
            gate=self.gate(step),
            output_schema=step.output,
        )

    def root(self, step: Step) -> UnitNode | MapNode | RouteNode:
        if step.route:
            route = step.route
            return RouteNode(f"{step.id}.route", route.input, route.when, route.default)
        if step.map:
            return self.map(step, step.map)
        return self.unit(step, step.unit or Unit(), step.id)

    def map(self, step: Step, fan_out: Map) -> MapNode:
        width = fan_out.concurrency or self.settings.default_map_concurrency
        return MapNode(
            id=f"{step.id}.map",
            over=fan_out.over,
            template=self.unit(step, fan_out.unit, f"{step.id}.unit"),
            concurrency=min(WIDEST, max(1, width)),
            reducer=fan_out.reducer,
            source=self.source(step),
        )

    def unit(self, step: Step, unit: Unit, node_id: str) -> UnitNode:
        bindings = environment(unit, self.settings.env)
        return UnitNode(
            id=node_id,
            instructions=step.instructions,
            target=self.target(step, unit, bindings),
            inputs=step.inputs,
            schema=unit.output,
            retry=unit.retry,
            on_error=unit.on_error or self.document.defaults.on_error or "fail",
            env=tuple(dict.fromkeys(unit.env)),
            environment=bindings,
            isolation=unit.isolation,
            commit=self.settings.commit if unit.isolation == "worktree" else None,
            source=self.source(step),
        )

    def target(self, step: Step, unit: Unit, bindings: tuple[EnvBinding, ...]) -> Target:
        defaults = self.document.defaults
        if unit.exec:
            return shell_target(unit.exec, unit, defaults, self.identity, bindings)
        if unit.workflow:
            return self.child(step, unit.workflow, unit.bindings)
        target = prose_target(
            step.id, step.instructions, unit, defaults, self.settings, self.identity, self.missing
        )
        _refuse_worktree_of_a_model(step, unit, target)
        return target

    def child(self, step: Step, ref: str, bindings: Mapping[str, Any]) -> Target:
        if self.settings.child is None:
            raise UsageError(f'Step "{step.id}" runs {ref}, and nothing finds workflows here.')
        child = self.settings.child(ref)
        self.missing.warnings.extend(f"{child.ref}: {warning}" for warning in child.warnings)
        return child_target(step.id, child, bindings)

    def gate(self, step: Step) -> GateNode:
        criteria = step.gate.criteria
        approve = step.gate.approve or bool(criteria and self.settings.gates == "approve")
        judge = None
        if criteria and not approve:
            judge = judge_target(step.id, criteria[0], self.settings, self.identity, self.missing)
        return GateNode(
            f"{step.id}.gate", step.id, criteria, step.gate.max_loops, judge, approve, step.gate.value
        )

    def source(self, step: Step) -> Source:
        return Source(self.settings.source_path, step.start or step.line, step.end or step.line)


def _refuse_worktree_of_a_model(step: Step, unit: Unit, target: CommandTarget) -> None:
    if unit.isolation == "worktree" and target.runner["kind"] == "llm":
        raise UsageError(
            f'Step "{step.id}" asks for a worktree, which the model of engine "{target.request["engine"]}" '
            "cannot work in: remove `isolation`, or name an agent engine.",
            code="WORKFLOW_SOURCE_INVALID",
        )
