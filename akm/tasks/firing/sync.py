"""Making the scheduler fire what is switched on: read once, plan, write. What is planned is `sync_plan`'s."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict
from typing import Any

from akm import paths
from akm.errors import AkmError
from akm.tasks import catalog
from akm.tasks.execution import search_path
from akm.tasks.firing import activation, installation, sync_plan, wanted
from akm.tasks.firing.sync_plan import Failure, Plan
from akm.tasks.firing.wanted import Wanted
from akm.tasks.schedulers import cron, crontab_text, wrappers
from akm.tasks.schedulers.row import Installation


def sync(*, bundle: str | None = None, dry_run: bool = False, rebind: bool = False) -> dict[str, Any]:
    """Bring the rows of this installation up to date, and say what was done. Call it under the lock.

    Returns `{installed, updated, removed, unchanged, skipped, backend, failures, warnings}`; rows are
    named by their native ids. `dry_run` writes nothing. `rebind` takes away the rows with which another
    installation fires the same tasks. Raises ConfigError when the scheduler is unusable.
    """
    known = activation.bundles()
    if bundle is not None and bundle not in known:
        raise catalog.unknown_bundle(bundle, known)
    here = installation.here()
    text = cron.read()
    blocks = crontab_text.blocks(text)
    chosen = activation.chosen(blocks, here.mark, known)
    if chosen.is_new and not dry_run:
        activation.write(chosen.refs)
    asked = wanted.of(chosen.refs, known, here, bundle)
    plan = sync_plan.plan(blocks, asked.rows, mark=here.mark, keep=asked.keep, bundle=bundle, rebind=rebind)
    if not dry_run:
        search_path.record()
        _apply(text, plan, asked, here)
    return _result(plan, asked, chosen.warnings)


def installed() -> list[crontab_text.Block]:
    """List the marked blocks of the crontab, none on a machine without the `crontab` command.

    Raises ConfigError when it cannot be read, and `CRONTAB_MALFORMED`.
    """
    return crontab_text.blocks(cron.read()) if cron.is_there() else []


def _apply(text: str, plan: Plan, asked: Wanted, here: Installation) -> None:
    for native_id in asked.scripts.keys() & {*plan.lines, *plan.unchanged}:
        wrappers.write(asked.scripts[native_id], installation.wrappers())
    for row, _ in asked.rows:
        # Cron opens the file before akm runs: without its folder nothing would ever start.
        paths.create(here.logs / row.ref.partition("//")[0])
    edited = _edited(text, plan, plan.removed, plan.lines)
    if edited != text:
        try:
            cron.write(edited)
        except AkmError:
            if not (plan.lines or plan.removed):
                raise
            edited = _one_by_one(text, plan, asked)
    wrappers.sweep(installation.wrappers(), edited)


def _edited(text: str, plan: Plan, remove: Collection[str], put: Mapping[str, str]) -> str:
    path = installation.search_path()
    return crontab_text.edit(text, remove=remove, put=put, path=path, ours=plan.ours)


def _one_by_one(text: str, plan: Plan, asked: Wanted) -> str:
    """Write each change by itself, removals first, so that the one that is refused stops no other."""
    by_id = {row.native_id: row for row, _ in asked.rows}
    for native_id in [*plan.removed, *plan.lines]:
        put = {native_id: plan.lines[native_id]} if native_id in plan.lines else {}
        edited = _edited(text, plan, [native_id], put)
        try:
            cron.write(edited)
        except AkmError as error:
            row = by_id.get(native_id)
            plan.failures.append(
                Failure(str(row.path) if row else "", error.message, row.ref if row else None)
            )
            for done in (plan.installed, plan.updated, plan.removed):
                if native_id in done:
                    done.remove(native_id)
            continue
        text = edited
    return text


def _result(plan: Plan, asked: Wanted, warnings: list[str]) -> dict[str, Any]:
    failures = [
        {key: value for key, value in asdict(failure).items() if value is not None}
        for failure in [*asked.failures, *plan.failures]
    ]
    return {
        "installed": plan.installed,
        "updated": plan.updated,
        "removed": plan.removed,
        "unchanged": plan.unchanged,
        "skipped": asked.skipped,
        "backend": cron.NAME,
        "failures": failures,
        "warnings": [*warnings, *asked.warnings()],
    }
