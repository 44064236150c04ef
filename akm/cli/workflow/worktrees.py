"""`akm workflow worktrees`: the git worktrees that units left behind, and removing them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import typer

from akm import clock, config
from akm.cli import ledger, output
from akm.cli.tables import Table
from akm.cli.unit_ids import short
from akm.errors import UsageError

Prune = Annotated[
    bool, typer.Option("--prune", help="Remove those without work in them whose run nobody drives.")
]
Force = Annotated[
    bool, typer.Option("--force", help="With --prune: remove those with work in them too. It is lost.")
]

_WORK = {True: "dirty", False: "clean", None: "unknown"}
_AGES = ((86_400, "d"), (3600, "h"), (60, "m"), (1, "s"))
_SIZES = ((10**9, "GB"), (10**6, "MB"), (10**3, "kB"), (1, "B"))


def worktrees(prune: Prune = False, force: Force = False) -> int:
    """List the worktrees of this ledger's runs that are on the disk, with whether they hold work."""
    from akm.engine.isolation import worktree_report

    if force and not prune:
        raise UsageError("--force says what --prune may remove; give both.")
    with ledger.opened(config.read()) as db:
        if not prune:
            found = worktree_report.listing(db)
            output.show({"ok": True, "worktrees": found}, render=_listed, items="worktrees")
            return 0
        done = worktree_report.prune(db, force=force, at=clock.now())
    is_ok = not any("problem" in one for one in done["left"])
    output.show({"ok": is_ok, **done}, render=_pruned)
    return 0 if is_ok else 1


def _listed(result: dict[str, Any]) -> Iterator[str | Table]:
    now = clock.seconds(clock.now())
    rows = [
        (*_cells(one), _round(one["sizeBytes"], _SIZES), _age(one, now), one["path"])
        for one in result["worktrees"]
    ]
    columns = ("run", "unit", "attempt", "state", "work", "size", "age", "path")
    yield Table(columns, rows, "There are no worktrees.")


def _pruned(result: dict[str, Any]) -> Iterator[str | Table]:
    yield f"Removed: {len(result['removed'])}. Still there: {len(result['left'])}."
    if result["forgotten"]:
        yield f"Forgotten by git, because they were gone already: {result['forgotten']}."
    if result["left"]:
        rows = [(*_cells(one), one.get("problem", "-"), one["path"]) for one in result["left"]]
        yield Table(("run", "unit", "attempt", "state", "work", "problem", "path"), rows)


def _cells(one: dict[str, Any]) -> tuple[object, ...]:
    unit = None if one["unitId"] is None else short(one["unitId"])
    return one["runId"][:8], unit, one["attempt"], one["state"], _WORK[one["dirty"]]


def _age(one: dict[str, Any], now: float) -> str:
    return _round(max(0, now - clock.seconds(one["startedAt"])), _AGES)


def _round(number: float, units: Sequence[tuple[int, str]]) -> str:
    size, unit = next((one for one in units if number >= one[0]), units[-1])
    return f"{int(number // size)}{unit}"
