"""`akm workflow run --dry-run`: what would be done, for people and for programs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

from akm import config
from akm.cli import ledger, output
from akm.cli.tables import Table
from akm.cli.workflow import usage_text
from akm.engine import dry_run
from akm.engine.workplace import Workplace
from akm.spelling import counted
from akm.workflow.freezing.freeze_settings import Gates


def show(work: Workplace, target: str, *, given: Any, new: bool, gates: Gates) -> int:
    """Show the dry run of a target; the ledger is opened only where there is one."""
    is_there = config.database(work.layers).path.exists()
    with ledger.opened(work.layers) if is_there else nullcontext() as db:
        shown = dry_run.dry_run(db, work, target, given=given, new=new, gates=gates)
    for warning in shown["warnings"]:
        output.warn(warning)
    output.show(shown, render=_lines, items="steps")
    return 0


def _lines(shown: dict[str, Any]) -> Iterator[str | Table]:
    yield f"Would go on with run {shown['runId']}." if "runId" in shown else f"Would start {shown['title']}."
    if "drivenBy" in shown:
        yield f"It is being driven right now by {shown['drivenBy']}, so this may have changed already."
    budget = {name: limit for name, limit in shown["budget"].items() if name != "spent"}
    yield from (f"budget    {name} {limit}" for name, limit in budget.items())
    if "spent" in shown["budget"]:
        yield f"spent     {_spent(shown['budget']['spent'])}"
    yield ""
    rows = [
        (
            step["stepId"],
            step["status"],
            _does(step),
            step["width"],
            _count(step, "dispatch"),
            _count(step, "reuse"),
            ", ".join(step["variables"]) or "-",
        )
        for step in shown["steps"]
    ]
    yield Table(("step", "status", "does", "width", "dispatch", "reuse", "variables"), rows)
    for step in shown["steps"]:
        yield from _remarks(step)
    yield from shown.get("shortfalls", ())
    yield "Nothing was written or executed."


def _spent(spent: dict[str, Any]) -> str:
    parts = [counted(spent["units"], "unit"), counted(spent["tokens"], "token")]
    if spent["cost"] is not None:
        parts.append(f"cost {usage_text.money(spent['cost'])}")
    return ", ".join(parts)


def _remarks(step: dict[str, Any]) -> Iterator[str]:
    """Say why the work of a step is not known yet, and that a person will be waited for."""
    work = step.get("work", {})
    if work.get("after"):
        yield f"{step['stepId']}: not known yet, because it reads from {' and '.join(work['after'])}."
    elif "unknown" in work:
        yield f"{step['stepId']}: {work['unknown']}"
    if step["status"] == "pending" and step["gate"]["approve"]:
        yield f"{step['stepId']}: will wait for a person to approve it."


def _does(step: dict[str, Any]) -> str:
    if "command" in step:
        return str(step["command"][0])
    if step["targetKind"] == "command":
        return f"prose for {step['engine']}"
    return str(step["expansion"].get("childRef", step["targetKind"]))


def _count(step: dict[str, Any], what: str) -> object:
    if step["status"] != "pending":
        return "-"
    return step["work"].get(what, "not known yet")
