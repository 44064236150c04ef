"""How a run's state follows from its steps."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from akm import states
from akm.states import RunState, StepState, derive

SPINES = st.lists(st.sampled_from(states.STEP), min_size=1, max_size=6)


def a_state(statuses: str | list[str]) -> RunState:
    words = statuses.split() if isinstance(statuses, str) else statuses
    steps = [
        StepState(f"s{number}", word, None if word == "pending" else f"t{number}")
        for number, word in enumerate(words)
    ]
    return derive(steps)


@pytest.mark.parametrize(
    ("spine", "state"),
    [
        ("pending pending", RunState("active", "s0", None)),
        ("completed pending", RunState("active", "s1", None)),
        ("completed completed", RunState("completed", None, "t1")),
        ("skipped completed skipped", RunState("completed", None, "t2")),
        ("failed blocked", RunState("failed", "s0", None)),
        ("blocked failed", RunState("blocked", "s0", None)),
        ("pending blocked", RunState("blocked", "s1", None)),
        ("completed blocked pending", RunState("blocked", "s1", None)),
        ("skipped pending failed", RunState("failed", "s2", None)),
    ],
)
def test_the_first_stopped_step_decides_then_the_first_pending_one(spine: str, state: RunState) -> None:
    assert a_state(spine) == state


def test_a_run_is_completed_at_the_greatest_time_of_a_step() -> None:
    spine = [
        StepState("a", "completed", "t9"),
        StepState("b", "completed", "t1"),
        StepState("c", "skipped", None),
    ]
    assert derive(spine) == RunState("completed", None, "t9")


def test_a_run_without_steps_has_no_time_of_completion() -> None:
    assert derive([]) == RunState("completed", None, None)


def test_the_steps_may_come_from_any_iterable() -> None:
    assert (
        derive(iter([StepState("a", "completed", "t"), StepState("b", "pending", None)])).status == "active"
    )


@given(SPINES)
def test_a_state_is_known_and_its_fields_fit_it(spine: list[str]) -> None:
    state = a_state(spine)
    assert state.status in states.RUN
    assert (state.current_step_id is None) == (state.status == "completed")
    assert (state.completed_at is not None) == (state.status == "completed")
