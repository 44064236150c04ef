"""The prices that a plan keeps, and whose spending a ceiling in money could not see."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from freezing import CHECKER, TRUE, WRITER, a_step, document, settings

from akm.errors import ConfigError
from akm.workflow.freezing.freeze import Engine, Frozen, freeze
from akm.workflow.parsing.document import Budget, Gate, Step, Unit
from akm.workflow.plan_text import plan_json
from akm.workflow.prices import Price

SMALL, LARGE = Price(0.15, 0.6), Price(3.0, 15.0)
PROSE = Unit()
MODEL = Unit(engine="checker", model="small")


def frozen(root: Path, *steps: Step, max_cost: float | None = 5.0, **changes: Any) -> Frozen:
    return freeze(document(*steps, budget=Budget(max_cost=max_cost)), settings(root, **changes))


def test_a_plan_keeps_the_prices_of_the_models_it_uses_whatever_they_are_called_in_the_file(
    tmp_path: Path,
) -> None:
    prices = {"small-model": SMALL, "large": LARGE, "unused": LARGE}
    judge = replace(CHECKER, model="large")
    step = a_step(unit=PROSE, gate=Gate(("Good.",)))
    plan = frozen(
        tmp_path, step, max_cost=None, prices=prices, engines={"writer": WRITER, "checker": judge}
    ).plan
    assert plan.prices == {"small-model": SMALL, "large": LARGE}
    assert plan_json.decode(plan_json.encode(plan)) == plan


def test_a_plan_without_prices_has_no_such_key(tmp_path: Path) -> None:
    assert '"prices"' not in plan_json.encode(frozen(tmp_path, a_step(unit=TRUE)).plan)


def test_a_price_changes_no_target(tmp_path: Path) -> None:
    steps = [
        frozen(tmp_path, a_step(unit=MODEL), prices={"small": price}).plan.steps for price in (SMALL, LARGE)
    ]
    assert steps[0] == steps[1]


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (a_step(unit=PROSE), 'cost of step "a", for engine "writer" .* [prices.small-model]'),
        (a_step(unit=MODEL), 'cost of step "a", for engine "checker" .* [prices.small]'),
        (a_step(unit=TRUE, gate=Gate(("Good.",))), 'cost of the judge of step "a"'),
    ],
)
def test_a_ceiling_in_money_needs_to_know_every_price(tmp_path: Path, step: Step, words: str) -> None:
    pattern = words.replace("[", r"\[").replace("]", r"\]")
    with pytest.raises(ConfigError, match=pattern) as refused:
        frozen(tmp_path, step)
    assert refused.value.code == "INVALID_CONFIG_FILE"
    previewed = frozen(tmp_path, step, strict=False)
    assert [warning for warning in previewed.warnings if "max_cost" in warning]
    assert frozen(tmp_path, step, max_cost=None).warnings == ()


def test_an_engine_without_a_model_is_asked_for_one(tmp_path: Path) -> None:
    nameless = replace(WRITER, model=None)
    with pytest.raises(ConfigError, match="name its model, and set input and output under"):
        frozen(tmp_path, a_step(unit=PROSE), engines={"writer": nameless})


@pytest.mark.parametrize(
    ("preset", "needs_price"), [("claude", False), ("opencode", False), ("aider", True), ("codex", True)]
)
def test_an_engine_that_always_reports_its_cost_needs_no_price(
    tmp_path: Path, preset: str, needs_price: bool
) -> None:
    engines = {"tool": Engine("tool", "agent", preset=preset, model="small")}
    step, tool = a_step(unit=PROSE), {"engines": engines, "default_engine": "tool"}
    assert bool(frozen(tmp_path, step, strict=False, **tool).warnings) == needs_price
    assert frozen(tmp_path, step, prices={"small": SMALL}, **tool).warnings == ()


def test_commands_cost_nothing(tmp_path: Path) -> None:
    assert frozen(tmp_path, a_step(unit=TRUE)).warnings == ()


def test_an_engine_that_reports_nothing_is_said_and_not_refused(tmp_path: Path) -> None:
    (warning,) = frozen(tmp_path, a_step(unit=PROSE), prices={"small-model": SMALL}).warnings
    assert warning == (
        'Engine "writer" reports neither tokens nor cost, so budget.max_cost does not see step "a".'
    )


def test_a_missing_engine_is_said_once(tmp_path: Path) -> None:
    made = frozen(tmp_path, a_step(unit=PROSE), engines={}, strict=False)
    assert [warning for warning in made.warnings if "max_cost" in warning] == []
