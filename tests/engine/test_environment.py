"""What reaches a unit's process, and what does not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from runner_dispatches import a_command, a_dispatch, passed_through

from akm.engine.runners import context, environment
from akm.engine.runners.base import Dispatch, Outcome
from akm.engine.runners.context import TOTAL_LIMIT, VARIABLE_LIMIT
from akm.workflow.plan import EnvBinding

PARENT = {"PATH": "/bin", "HOME": "/home/me", "LANG": "C", "SECRET": "s", "WANTED": "w", "AKM_ITEM": "outer"}


def built(*names: str, known: dict[str, str] | None = None, **overrides: Any) -> dict[str, str]:
    dispatch = a_dispatch(a_command(Path("/tmp"), "true"), **({"environment": PARENT} | overrides))
    return environment.build(dispatch, pass_env=names, context=known or {})


def context_of(dispatch: Dispatch) -> dict[str, str]:
    made = context.build(dispatch, label="unit")
    assert isinstance(made, dict)
    return made


def a_mapped_dispatch(item: Any, **overrides: Any) -> Dispatch:
    return a_dispatch(a_command(Path("/tmp"), "true"), index=0, item=item, **overrides)


def test_environment_is_empty_but_for_the_allowlist() -> None:
    assert built() == {"PATH": "/bin", "HOME": "/home/me", "LANG": "C"}


def test_named_variables_pass_and_absent_ones_stay_absent() -> None:
    assert built("WANTED", "MISSING")["WANTED"] == "w"
    assert "MISSING" not in built("WANTED", "MISSING")
    assert built(bound=passed_through("WANTED"))["WANTED"] == "w"


def test_bindings_come_after_the_allowlist_and_the_context_after_them() -> None:
    made = built(
        bound=[EnvBinding("literal", "LANG", "de"), EnvBinding("literal", "HOME", "/literal")],
        bindings={"HOME": "/bound", "AKM_RUN_ID": "forged"},
        known={"AKM_RUN_ID": "run-1"},
    )
    assert (made["LANG"], made["HOME"], made["AKM_RUN_ID"]) == ("de", "/bound", "run-1")


def test_context_of_a_surrounding_run_is_not_inherited_even_by_name() -> None:
    assert "AKM_ITEM" not in built("AKM_ITEM", bound=passed_through("AKM_ITEM"))


def test_context_of_a_solo_unit_has_ids_and_parameters_only() -> None:
    dispatch = a_dispatch(a_command(Path("/tmp"), "true"), params={"b": 1, "a": "é"})
    assert context_of(dispatch) == {
        "AKM_RUN_ID": "run-1",
        "AKM_STEP_ID": "build",
        "AKM_UNIT_ID": "build:solo",
        "AKM_PARAMS": '{"a":"é","b":1}',
    }


def test_context_of_a_mapped_unit_has_item_index_and_inputs() -> None:
    dispatch = a_mapped_dispatch({"n": 1}, inputs=(("steps.a.output", [1]), ("params.x", "y")))
    made = context_of(replace(dispatch, item=replace(dispatch.item, index=7)))
    assert (made["AKM_ITEM"], made["AKM_ITEM_INDEX"]) == ('{"n":1}', "7")
    assert made["AKM_INPUTS"] == '{"params.x":"y","steps.a.output":[1]}'


def test_bound_inputs_reach_the_context_when_there_are_any() -> None:
    dispatch = a_mapped_dispatch(1)
    bound = replace(dispatch, item=replace(dispatch.item, bindings={"name": "x"}))
    assert context_of(bound)["AKM_TASK_INPUTS"] == '{"name":"x"}'
    assert "AKM_TASK_INPUTS" not in context_of(dispatch)


def test_text_that_no_environment_carries_is_a_failure_that_names_the_variable() -> None:
    refused = context.build(a_mapped_dispatch("\ud800"), label="unit")
    assert isinstance(refused, Outcome)
    assert refused.failure_reason == "dispatch_error"
    assert "AKM_ITEM" in str(refused.diagnostic)
    refused = context.build(a_mapped_dispatch("x", unit_id="a\0b"), label="unit")
    assert isinstance(refused, Outcome)
    assert "AKM_UNIT_ID" in str(refused.diagnostic)


@pytest.mark.parametrize("letter", ["a", "é"])
def test_value_of_exactly_the_limit_passes_and_one_byte_more_does_not(letter: str) -> None:
    fitting = letter * (VARIABLE_LIMIT // len(letter.encode()))
    assert context.refuse({"AKM_ITEM": fitting}, label="unit") is None
    refused = context.refuse({"AKM_ITEM": fitting + "x"}, label="unit")
    assert refused is not None
    assert refused.failure_reason == "exec_context_too_large"
    assert "AKM_ITEM" in str(refused.diagnostic)
    assert "98304" in str(refused.diagnostic)


def test_total_of_exactly_the_limit_passes_and_one_byte_more_does_not() -> None:
    rest = TOTAL_LIMIT - 70_000 - len("AKM_ITEM") - len("AKM_PARAMS") - 2
    assert context.refuse({"AKM_ITEM": "x" * 70_000, "AKM_PARAMS": "x" * rest}, label="unit") is None
    refused = context.refuse({"AKM_ITEM": "x" * 70_000, "AKM_PARAMS": "x" * (rest + 1)}, label="unit")
    assert refused is not None
    assert "AKM_ITEM alone 70000" in str(refused.diagnostic)
    assert "131072" in str(refused.diagnostic)


def test_fitting_part_leaves_out_the_largest_values_first() -> None:
    large = {
        "AKM_RUN_ID": "r",
        "AKM_PARAMS": "x" * 60_000,
        "AKM_INPUTS": "x" * 80_000,
        "AKM_ITEM": "x" * 99_000,
    }
    assert list(context.fitting(large)) == ["AKM_RUN_ID", "AKM_PARAMS"]
    assert context.fitting({"AKM_RUN_ID": "r"}) == {"AKM_RUN_ID": "r"}
