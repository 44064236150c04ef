"""The locks of the schedule: one holder each, and a question that gets in nobody's way."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest

from akm import paths
from akm.errors import ConfigError, TransientError
from akm.tasks.schedulers import lock


@pytest.mark.parametrize("right", [lock.held, lock.serving])
def test_one_holder_at_a_time(right: Callable[[], AbstractContextManager[None]]) -> None:
    with right():
        with pytest.raises(TransientError) as refused, right():
            raise AssertionError("both hold it")
        assert refused.value.code == "SCHEDULER_LOCK_HELD"
    with right():
        pass


def test_serving_stops_no_change_of_the_schedule() -> None:
    with lock.serving(), lock.held():
        assert lock.is_served()
    assert not lock.is_served()


def test_asking_whether_it_is_served_leaves_no_trace() -> None:
    assert not lock.is_served()
    assert not paths.state_dir().exists()


def test_a_lock_that_cannot_be_taken_is_named() -> None:
    (paths.create(paths.state_dir() / "locks") / "scheduler.lock").mkdir()
    with pytest.raises(ConfigError, match=r"scheduler\.lock cannot be taken"), lock.held():
        raise AssertionError("it is held")
