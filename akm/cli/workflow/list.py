"""`akm workflow list`: runs, newest first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from akm import config, paths, scope
from akm.cli import ledger, output
from akm.cli.tables import Table
from akm.cli.workflow import run_state
from akm.engine import reports
from akm.store.runs import Filters

Ref = Annotated[str | None, typer.Option("--ref", metavar="REF", help="Only runs of this workflow.")]
Active = Annotated[bool, typer.Option("--active", help="Only active runs.")]
Children = Annotated[bool, typer.Option("--children", help="Show child runs too.")]
AllScopes = Annotated[
    bool, typer.Option("--all-scopes", help="Runs of every directory, not only of this one.")
]
Limit = Annotated[int, typer.Option("--limit", metavar="N", min=1, help="Show at most this many.")]
Offset = Annotated[int, typer.Option("--offset", metavar="N", min=0, help="Skip this many newer ones.")]


def list(
    ref: Ref = None,
    active: Active = False,
    children: Children = False,
    all_scopes: AllScopes = False,
    limit: Limit = 50,
    offset: Offset = 0,
) -> None:
    """List the runs that belong to this directory, newest first."""
    cwd = paths.working_directory()
    layers = config.read(cwd)
    anchor = scope.anchor(cwd, config.bundles(layers))
    with ledger.opened(layers) as db:
        filters = Filters(
            scope.key(anchor),
            all_scopes=all_scopes,
            refs=reports.ref_filter(layers, ref),
            status="active" if active else None,
            children=children,
            limit=limit,
            offset=offset,
        )
        found = reports.listing(db, filters)
    where = "anywhere" if all_scopes else f"in {anchor}"
    output.show({"ok": True, **found}, render=lambda result: _table(result, where, limit), items="runs")


def _table(result: dict[str, Any], where: str, limit: int) -> Iterator[str | Table]:
    is_mixed = any("parentRunId" in run for run in result["runs"])
    rows = [
        (
            run["id"][:8],
            *([run["parentRunId"][:8] if "parentRunId" in run else None] if is_mixed else []),
            run["workflowRef"],
            run_state.word(run),
            run["currentStepId"],
            run["updatedAt"],
        )
        for run in result["runs"]
    ]
    columns = ("run", *(["child of"] if is_mixed else []), "workflow", "status", "step", "updated")
    more = "" if result["scopeKey"] is None else "; --all-scopes shows those of every directory"
    yield Table(columns, rows, f"No runs {where}{more}.")
    if rows and more:
        yield f"\nRuns {where}{more}."
    if len(rows) == limit:
        yield f"There may be more: --limit {limit * 2}, or --offset {limit}."
