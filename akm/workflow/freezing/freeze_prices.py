"""Which prices a plan keeps, and whose spending a ceiling in money cannot see."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from akm.workflow.freezing.freeze_engines import Missing
from akm.workflow.plan import CommandTarget, PlanStep
from akm.workflow.prices import Price


def used(steps: Sequence[PlanStep], prices: Mapping[str, Price]) -> dict[str, Price]:
    """Choose the prices of the models that units and judges use."""
    models = [str(target.request.get("model")) for _who, target in _targets(steps)]
    return {model: prices[model] for model in models if model in prices}


def note_uncounted(steps: Sequence[PlanStep], prices: Mapping[str, Price], missing: Missing) -> None:
    """Note who needs a price and has none; of an engine that reports nothing there is only a warning."""
    for who, target in _targets(steps):
        if target.runner["kind"] == "missing" or _reports_cost(target.runner):
            continue
        model, engine = target.request.get("model"), target.request["engine"]
        if model not in prices:
            named, section = ("", model) if model else ("name its model, and ", "<that model>")
            missing.note(
                f'budget.max_cost needs to know the cost of {who}, for engine "{engine}" may report none: '
                f"{named}set input and output under [prices.{section}] in .akm/config.toml."
            )
        elif not _reports_tokens(target.runner):
            # No error: a Python dispatcher in its place may well report them.
            missing.warn(
                f'Engine "{engine}" reports neither tokens nor cost, so budget.max_cost does not see {who}.'
            )


def _reports_cost(runner: Mapping[str, Any]) -> bool:
    # What a pattern finds in a text does not count: such a tool knows the prices of some models only.
    return "cost" in (runner.get("output") or {})


def _reports_tokens(runner: Mapping[str, Any]) -> bool:
    return runner["kind"] != "agent" or bool(runner.get("output"))


def _targets(steps: Sequence[PlanStep]) -> Iterator[tuple[str, CommandTarget]]:
    for step in steps:
        if step.unit and isinstance(step.unit.target, CommandTarget):
            yield f'step "{step.step_id}"', step.unit.target
        if step.gate.judge:
            yield f'the judge of step "{step.step_id}"', step.gate.judge
