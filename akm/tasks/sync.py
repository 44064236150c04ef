"""Making the scheduler fire what is switched on: read once, plan, write. What is planned is `sync_plan`'s."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from akm import config, paths
from akm.errors import AkmError, NotFoundError, UsageError
from akm.tasks import activation, installation, source, sync_plan
from akm.tasks.schedulers import cron, crontab_text, wrappers
from akm.tasks.schedulers.row import Installation, Row, owner, rows
from akm.tasks.sync_plan import Failure, Plan


@dataclass(slots=True)
class _Wanted:
    """What the switched-on tasks ask for. `keep` are refs whose rows stay whatever they are."""

    rows: list[tuple[Row, str]] = field(default_factory=list)
    scripts: dict[str, str] = field(default_factory=dict)
    keep: set[str] = field(default_factory=set)
    skipped: list[dict[str, str]] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)


def sync(*, bundle: str | None = None, dry_run: bool = False) -> dict[str, Any]:
    """Bring the rows of this installation up to date, and say what was done. Call it under the lock.

    Returns `{installed, updated, removed, unchanged, skipped, backend, failures, warnings}`; rows are
    named by their native ids. `dry_run` writes nothing. Raises ConfigError when the scheduler is unusable.
    """
    known = activation.bundles(config.read())
    if bundle is not None and bundle not in known:
        raise UsageError(
            f"No bundle named {bundle!r} is configured in the user's file.",
            hint="List the configured ones with `akm bundle list`.",
        )
    here = installation.here()
    text = cron.read()
    blocks = crontab_text.blocks(text)
    refs, warnings = chosen(blocks, here, known)
    if warnings and not dry_run:
        activation.write(refs)
    wanted = _wanted(refs, known, here, bundle)
    plan = sync_plan.plan(blocks, wanted.rows, mark=here.mark, keep=wanted.keep, bundle=bundle)
    if not dry_run and (plan.lines or plan.removed):
        _apply(text, plan, wanted, here)
    return _result(plan, wanted, warnings)


def chosen(
    blocks: list[crontab_text.Block], here: Installation, known: dict[str, Path]
) -> tuple[list[str], list[str]]:
    """Return the refs that are switched on; without a list, those of today's rows, and a warning."""
    refs = activation.enabled()
    if refs is not None:
        return refs, []
    found = []
    for block in blocks:
        whose = owner(block.native_id)
        if whose is None or whose.installation != here.mark or not block.is_enabled:
            continue
        place = activation.canonical(whose.ref, known)
        if place is not None and place.path.is_file():
            found.append(whose.ref)
    refs = sorted(set(found))
    said = f"scheduler.enabled was not set: it starts with the {len(refs)} tasks that are scheduled now."
    return refs, [said]


def _wanted(refs: list[str], known: dict[str, Path], here: Installation, bundle: str | None) -> _Wanted:
    wanted = _Wanted()
    for ref in dict.fromkeys(refs):
        try:
            place = activation.canonical(ref, known)
        except UsageError as error:
            wanted.skipped.append({"ref": ref, "reason": error.message})
            continue
        if bundle is not None and ref.partition("//")[0] != bundle:
            continue
        if place is None:
            reason = "its bundle is not configured in the user's file"
            wanted.skipped.append({"ref": ref, "reason": reason})
            continue
        _add(wanted, place, here)
    return wanted


def _add(wanted: _Wanted, place: activation.Place, here: Installation) -> None:
    try:
        task = source.read(place.path, bundle=place.bundle, root=place.root)
    except NotFoundError:
        wanted.skipped.append({"ref": place.ref, "reason": f"there is no file {place.path}"})
        return
    except AkmError as error:
        wanted.keep.add(place.ref)
        wanted.failures.append(Failure(str(place.path), error.message, place.ref))
        return
    if not task.schedules:
        wanted.skipped.append({"ref": place.ref, "reason": "the task has no schedule"})
    try:
        for row in rows(task, here):
            line, script = wrappers.fitting(row, installation.wrappers())
            wanted.rows.append((row, line))
            if script is not None:
                wanted.scripts[row.native_id] = script
    except ValueError as error:
        wanted.keep.add(place.ref)
        wanted.failures.append(Failure(str(place.path), str(error), place.ref))


def _apply(text: str, plan: Plan, wanted: _Wanted, here: Installation) -> None:
    for native_id in plan.lines:
        if native_id in wanted.scripts:
            wrappers.write(wanted.scripts[native_id], installation.wrappers())
    for row, _ in wanted.rows:
        # Cron opens the file before akm runs: without its folder nothing would ever start.
        paths.create(here.logs / row.ref.partition("//")[0])
    edited = crontab_text.edit(text, remove=plan.removed, put=plan.lines, path=installation.search_path())
    try:
        cron.write(edited)
    except AkmError:
        edited = _one_by_one(text, plan, wanted)
    wrappers.sweep(installation.wrappers(), edited)


def _one_by_one(text: str, plan: Plan, wanted: _Wanted) -> str:
    """Write each change by itself, removals first, so that the one that is refused stops no other."""
    by_id = {row.native_id: row for row, _ in wanted.rows}
    for native_id in [*plan.removed, *plan.lines]:
        put = {native_id: plan.lines[native_id]} if native_id in plan.lines else {}
        edited = crontab_text.edit(text, remove=[native_id], put=put, path=installation.search_path())
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


def _result(plan: Plan, wanted: _Wanted, warnings: list[str]) -> dict[str, Any]:
    failures = [
        {key: value for key, value in asdict(failure).items() if value is not None}
        for failure in [*wanted.failures, *plan.failures]
    ]
    return {
        "installed": plan.installed,
        "updated": plan.updated,
        "removed": plan.removed,
        "unchanged": plan.unchanged,
        "skipped": wanted.skipped,
        "backend": cron.NAME,
        "failures": failures,
        "warnings": warnings,
    }
