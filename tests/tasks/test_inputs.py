"""Binding inputs: precedence, coercion, provenance, and refusals that repeat no value."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from akm.errors import UsageError
from akm.tasks.execution.inputs import bind
from akm.tasks.files.task import Input, Shell, Task


def a_task() -> Task:
    inputs = {
        "level": Input({"type": "integer"}, 3, has_default=True),
        "name": Input({"type": "string"}, is_required=True),
        "dry": Input({"type": "boolean"}),
    }
    return Task("t", "team", Path("t.yml"), Path(), Shell("x"), inputs=inputs)


def test_a_flag_goes_before_a_schedule_and_that_before_a_default() -> None:
    bound = bind(a_task(), [("name", "x"), ("dry", True)], {"name": "y"})
    assert bound.values == {"level": 3, "name": "x", "dry": True}
    assert bound.provenance == {"level": "default", "name": "flag", "dry": "flag"}
    assert bind(a_task(), (), {"name": "y", "level": 1}).provenance["level"] == "schedule-binding"
    assert bind(a_task(), {"name": "x", "level": 7}).values["level"] == 7


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ([("name", "x"), ("levle", "hush")], "UNKNOWN_FLAG"),
        ([("name", "x"), ("level", "hush")], "INPUT_BINDING_INVALID"),
        ({"name": "x", "level": "hush"}, "INPUT_BINDING_INVALID"),
        ([("level", "1")], "INPUT_BINDING_INVALID"),
    ],
)
def test_a_refusal_has_its_code_and_repeats_no_value(given: Any, code: str) -> None:
    with pytest.raises(UsageError) as caught:
        bind(a_task(), given)
    assert (caught.value.code, caught.value.exit_status) == (code, 2)
    assert "hush" not in f"{caught.value.message}{caught.value.hint}"
