"""How ends are judged where several things are true at once."""

from __future__ import annotations

from typing import Any

import pytest

from akm.engine.result import RunResult
from akm.tasks.execution import outcome


@pytest.mark.parametrize(
    ("status", "aborted_by", "expected"),
    [
        ("completed", "timeout", ("completed", None, 0)),
        ("completed", "SIGTERM", ("completed", None, 0)),
        ("blocked", "timeout", ("blocked", "blocked", 1)),
        ("active", "timeout", ("failed", "timeout", 1)),
        ("failed", "timeout", ("failed", "timeout", 1)),
        ("active", "SIGHUP", ("failed", "terminated", 129)),
        ("active", None, ("active", None, 0)),
        ("failed", None, ("failed", "run_failed", 1)),
    ],
)
def test_a_run_is_blocked_before_out_of_time_and_completed_before_all(
    status: str, aborted_by: str | None, expected: tuple[Any, ...]
) -> None:
    judged = outcome.of_run(RunResult({"id": "r", "status": status}, aborted_by=aborted_by))
    assert (judged.status, (judged.detail or {}).get("reason"), judged.exit_status) == expected
