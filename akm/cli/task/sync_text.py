"""What a change of the schedule looks like to people, and the exit status it ends with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from akm.cli import output
from akm.spelling import counted

_DONE = ("installed", "updated", "removed")


def lines(result: dict[str, Any]) -> Iterator[str]:
    """Say what was done to each row, and why a task has none."""
    for word in _DONE:
        yield from (f"{word} {native_id}" for native_id in result[word])
    yield from (f"skipped {skipped['ref']}: {skipped['reason']}" for skipped in result["skipped"])
    yield from (
        f"failed {failure.get('ref') or failure['path']}: {failure['reason']}"
        for failure in result["failures"]
    )
    if not any(result[word] for word in (*_DONE, "skipped", "failures")):
        kept = counted(len(result["unchanged"]), "row is as it should be", "rows are as they should be")
        yield f"Nothing to change: {kept}."


def warn(result: dict[str, Any]) -> None:
    """Say the warnings of a sync."""
    for warning in result["warnings"]:
        output.warn(warning)
