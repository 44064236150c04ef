"""`akm workflow status`: one run with its steps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from akm import config
from akm.cli import ledger, options, output
from akm.cli.tables import Table
from akm.cli.unit_ids import short, short_runs
from akm.cli.workflow import output_text, run_state, unit_rows, usage_text
from akm.engine import reports

Units = Annotated[bool, typer.Option("--units", help="Show every unit of the run.")]
Attempts = Annotated[bool, typer.Option("--attempts", help="Show every attempt, the whole journal.")]
AllScopes = Annotated[bool, typer.Option("--all-scopes", help="Find a ref's newest run in any directory.")]


def status(
    target: options.Target, units: Units = False, attempts: Attempts = False, all_scopes: AllScopes = False
) -> None:
    """Show one run with its steps: by id, by the beginning of its id, or the newest run of a workflow."""
    layers = config.read()
    with ledger.opened(layers) as db:
        run_id = reports.look_up(db, layers, target, all_scopes=all_scopes)
        shown = reports.detail(db, run_id, with_units=units, with_attempts=attempts)
    for warning in shown.get("warnings", ()):
        output.warn(warning)
    output.show({"ok": True, **shown}, render=lines)


def lines(shown: dict[str, Any]) -> Iterator[str | Table]:
    """Render a run's detail for people."""
    run = shown["run"]
    idle = " (active, and nobody is driving it)" if run.get("interrupted") else ""
    yield f"run       {run['id']}"
    yield f"workflow  {run['workflowRef']}"
    yield f"status    {run_state.word(run)}{idle}"
    yield f"started   {run['createdAt']}"
    yield f"updated   {run['updatedAt']}"
    if run.get("parentRunId"):
        yield f"child of  {run['parentRunId']}"
    if run.get("forkedFromRunId"):
        yield f"fork of   {run['forkedFromRunId']}, from step {run['forkedFromStepId']}"
    if run["params"]:
        yield f"params    {_params(run['params'])}"
    yield f"spent     {usage_text.line(shown['usage'])}"
    yield ""
    yield Table(("step", "status", "ended", "what happened"), [_step(step) for step in _steps(shown)])
    yield from _children(shown.get("children", []))
    if run["status"] == "completed":
        yield from output_text.lines((_steps(shown)[-1].get("evidence") or {}).get("output"))
    yield from unit_rows.lines(shown)
    yield from _waiting(shown["waiting"]) if "waiting" in shown else _next(run, shown.get("wayOut", []))


def _steps(shown: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = shown["workflow"]["steps"]
    return found


def _params(params: dict[str, Any]) -> str:
    from akm.workflow.hashing import canonical

    text = ", ".join(f"{name}={canonical(value)}" for name, value in params.items())
    return text if len(text) <= 200 else text[:200] + "…"


def _step(step: dict[str, Any]) -> tuple[object, ...]:
    said = short(step.get("notes") or step.get("summary") or "")
    return step["id"], step["status"], step["completedAt"], said if len(said) <= 300 else said[:300] + "…"


def _children(tree: list[dict[str, Any]]) -> Iterator[str | Table]:
    if tree:
        yield ""
        yield Table(("child", "workflow", "status", "of step", "at step"), list(_branches(tree, 0)))


def _branches(tree: list[dict[str, Any]], depth: int) -> Iterator[tuple[object, ...]]:
    for child in tree:
        name = "  " * depth + child["runId"][:8]
        yield name, child["workflowRef"], run_state.word(child), child["stepId"], child["currentStepId"]
        yield from _branches(child.get("children", []), depth + 1)


def _next(run: dict[str, Any], way_out: list[str]) -> Iterator[str]:
    if run.get("continuable") is False:
        yield ""
        yield f"It cannot be gone on with: {run['reason']}. Start anew: {run['next']}"
    elif way_out:
        yield ""
        yield f"Go on with it: {short_runs(', then '.join(way_out))}"
    elif run.get("interrupted"):
        yield ""
        yield f"Go on with it: {short_runs(run['next'])}"


def _waiting(waiting: dict[str, Any]) -> Iterator[str]:
    from akm.workflow.hashing import canonical

    text = canonical(waiting["output"])
    yield ""
    yield f"Step {waiting['stepId']} waits for a person."
    yield from (f"rubric    {one}" for one in waiting["criteria"])
    yield f"result    {text if len(text) <= 1000 else text[:1000] + '…'}"
    value = ""
    if waiting["value"] is not None:
        yield f"value     {canonical(waiting['value'])}"
        value = " --value JSON"
    yield f"Accept it: {waiting['approve']}{value}"
    yield f"Or send it back: {waiting['reject']} --note WHY"
