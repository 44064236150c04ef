"""Outcomes that stand in for what a unit's process came to."""

from __future__ import annotations

from typing import Any

from akm.engine.runners.base import Dispatch, Outcome, failed


def done(_dispatch: Dispatch) -> Outcome:
    """Succeed without output."""
    return Outcome("completed")


def said(text: str, **more: Any) -> Outcome:
    """Succeed with a text."""
    return Outcome("completed", text=text, **more)


def broken(reason: str = "non_zero_exit") -> Outcome:
    """Fail."""
    return failed(reason, "it did not work")
