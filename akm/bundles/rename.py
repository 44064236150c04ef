"""Giving a bundle another name: in the ledger first, all of it or nothing, then in the user's configuration.

Killed between the two, the same command finishes it. Files that name the bundle and the rows of a scheduler
are not touched here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from akm import config, paths
from akm.bundles import configured, content_refs
from akm.engine import lock
from akm.errors import TransientError, UsageError
from akm.ref_grammar import PROJECT, bundle_range, is_bundle_name
from akm.services import bundle_rename
from akm.store.database import Database
from akm.views import bundle_refs
from akm.views.bundle_refs import Counts

_MOST_RUNS_NAMED = 3


@dataclass(frozen=True, slots=True)
class _Plan:
    """What a rename changes. `is_configured`: the user's file still says the old name."""

    old: str
    new: str
    is_configured: bool
    scheduler_refs: tuple[str, ...]
    counts: Counts

    @property
    def changes_file(self) -> bool:
        return self.is_configured or bool(self.scheduler_refs)

    @property
    def entry(self) -> str:
        return f"the name of `bundles.{self.old}`, and its refs in `scheduler.enabled`,"

    def edit(self, text: str) -> str:
        """Put the new name into the text of the configuration file."""
        from akm.config_edit import lists, tables

        if self.is_configured:
            text = tables.rename(text, ("bundles", self.old), self.new)
        if self.scheduler_refs:
            moved = {ref: self.new + ref.removeprefix(self.old) for ref in self.scheduler_refs}
            text = lists.replace(text, "scheduler", "enabled", moved)
        return text


def preview(old: str, new: str, *, db: Database | None) -> dict[str, Any]:
    """Say what `rename` would do, and write nothing. `db` is None when there is no ledger yet.

    Raises what `rename` raises, for the same reasons.
    """
    from akm.config_edit import file

    plan = _plan(old, new, db)
    if plan.changes_file:
        file.changed(paths.user_config_file(), plan.edit, entry=plan.entry)
    return _result(plan, plan.counts, is_dry=True)


def rename(old: str, new: str, *, db: Database, at: str) -> dict[str, Any]:
    """Rename a bundle, or finish a rename that was cut off; nothing left to do is no error.

    Raises NotFoundError SOURCE_NOT_FOUND, UsageError for a name that cannot be given or a bundle of another
    file, TransientError RUN_LEASE_HELD while one of its runs is being driven, and ConfigError for a file
    that cannot be changed safely; nothing was written then. A ConfigError about the disk may come when only
    the file is left to be written, which the same call does later.
    """
    from akm.config_edit import file

    _check(old, new, db)
    with file.held() as held:
        plan = _plan(old, new, db)
        if plan.changes_file:
            file.changed(held, plan.edit, entry=plan.entry)
        moved = plan.counts
        if plan.changes_file or any(plan.counts):
            moved = bundle_rename.rename(db, old, new, at=at)
        if plan.changes_file:
            file.edit(plan.edit, entry=plan.entry)
        bundle_rename.conclude(db, old, new)
    return _result(plan, moved, is_dry=False)


def _plan(old: str, new: str, db: Database | None) -> _Plan:
    known = _check(old, new, db)
    first, _end = bundle_range(old)
    return _Plan(
        old,
        new,
        is_configured=old in known,
        scheduler_refs=tuple(dict.fromkeys(ref for ref in _scheduled() if ref.startswith(first))),
        counts=Counts(0, 0, 0) if db is None else bundle_refs.counts(db, old),
    )


def _check(old: str, new: str, db: Database | None) -> Mapping[str, Path]:
    """Refuse what cannot be renamed now, and return the configured bundles."""
    known = config.bundles(config.read())
    _check_names(old, new, known)
    if old in known:
        configured.refuse_others_file(old, "rename it in")
    if db is not None:
        _check_idle(old, db)
    return known


def _check_names(old: str, new: str, known: Mapping[str, Path]) -> None:
    # The new name alone is what a rename leaves that was cut off, or is over.
    if old not in known and (new not in known or old == PROJECT or not is_bundle_name(old)):
        configured.one(old)
    if old == new:
        raise UsageError(f"The bundle is named {old!r} already: give another name.")
    configured.check_name(new)
    if old in known and new in known:
        raise UsageError(
            f"The bundle {new!r} is configured already, with the folder {known[new]}: choose another name."
        )


def _check_idle(old: str, db: Database) -> None:
    driven = sorted(lock.driven(lock.folder(db.path), bundle_refs.active_runs(db, old)))
    if driven:
        more = f" and {len(driven) - _MOST_RUNS_NAMED} more" if len(driven) > _MOST_RUNS_NAMED else ""
        named = f"{', '.join(driven[:_MOST_RUNS_NAMED])}{more}"
        is_one = len(driven) == 1
        raise TransientError(
            f"{'Run' if is_one else 'Runs'} {named} of the bundle {old!r} {'is' if is_one else 'are'} being "
            "driven; nothing was renamed.",
            code="RUN_LEASE_HELD",
        )


def _scheduled() -> list[str]:
    """Read the refs of `scheduler.enabled` in the user's file; whatever else stands there is not ours."""
    file = paths.user_config_file()
    section = config.read_file(file).get("scheduler", {}) if file.exists() else {}
    found = section.get("enabled", []) if isinstance(section, dict) else []
    return [ref for ref in found if isinstance(ref, str)] if isinstance(found, list) else []


def _result(plan: _Plan, counts: Counts, *, is_dry: bool) -> dict[str, Any]:
    return {
        "oldId": plan.old,
        "newId": plan.new,
        "dryRun": is_dry,
        "config": {"file": str(paths.user_config_file()), "bundle": plan.is_configured},
        "state": {
            "taskHistory": counts.task_history,
            "workflowRuns": counts.workflow_runs,
            "events": counts.events,
        },
        "schedulerRefs": list(plan.scheduler_refs),
        # Whichever name they have by now, the folders are the same.
        "contentRefs": content_refs.naming(plan.old, config.bundles(config.read())),
        "applied": not is_dry and (plan.changes_file or any(counts)),
    }
