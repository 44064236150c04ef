"""Bringing bundles from git up to date: what is new there, what that changes, and the move to it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from akm import config
from akm.bundles import clones, configured, contents, git, git_source, moving
from akm.bundles.configured import Bundle
from akm.bundles.repository import Repository
from akm.engine import lock
from akm.engine.abort import Abort
from akm.errors import AkmError, ConfigError, NotFoundError, TransientError, UsageError
from akm.store.database import Database
from akm.views import bundle_refs

Opened = Callable[[], AbstractContextManager[Database]]


@dataclass(frozen=True, slots=True)
class Updated:
    """How one bundle came out: `updated`, `current`, `pending` (a dry run), or `failed` with `error`.

    `changes` has the names under `added`, `changed` and `removed`, each grouped by kind.
    """

    name: str
    status: str
    old: str | None = None
    new: str | None = None
    date: str | None = None
    changes: dict[str, dict[str, list[str]]] | None = None
    error: AkmError | None = None

    def shown(self) -> dict[str, Any]:
        """Shape it as JSON."""
        values = {
            "name": self.name,
            "status": self.status,
            "old": self.old,
            "new": self.new,
            "date": self.date,
            "changes": self.changes,
            "error": self.error and self.error.message,
            "code": self.error and self.error.code,
        }
        return {key: value for key, value in values.items() if value is not None}


def update(name: str, opened: Opened, *, dry_run: bool = False) -> Updated:
    """Move one bundle to the commit that its source's ref means now; a dry run only says what that would do.

    Raises UsageError for a bundle that did not come from git, that another file than the user's configures or
    whose files were changed, TransientError while one of its runs is driven, and what git's errors become.
    """
    bundle = configured.one(name)
    with clones.held(), git.stoppable() as abort:
        return _update(bundle, opened, abort, dry_run)


def update_all(opened: Opened, *, dry_run: bool = False) -> list[Updated]:
    """Move every bundle that came from git; what keeps one from it is told and stops no other."""
    found = [bundle for bundle in configured.configured(config.read()) if bundle.source is not None]
    if not found:
        return []
    with clones.held(), git.stoppable() as abort:
        return [_outcome(bundle, opened, abort, dry_run) for bundle in found]


def _outcome(bundle: Bundle, opened: Opened, abort: Abort, dry_run: bool) -> Updated:
    try:
        return _update(bundle, opened, abort, dry_run)
    except AkmError as error:
        return Updated(bundle.name, "failed", error=error)


def _update(bundle: Bundle, opened: Opened, abort: Abort, dry_run: bool) -> Updated:
    repository = _repository(bundle, abort)

    def record(commit: str) -> None:
        configured.pin(bundle.name, commit)

    if not dry_run:
        moving.finish(repository, record)
        pinned = configured.one(bundle.name).commit
        old = moving.refuse_changes(repository, pinned)
    else:
        old = repository.head()
    new = repository.fetch()
    if new == old:
        return Updated(bundle.name, "current", old, new, repository.date(new))
    difference = repository.difference(old, new)
    if not dry_run:
        _refuse_driven(bundle.name, opened)
        moving.move(repository, new, difference["added"], record)
    changes = {how: contents.named(files) for how, files in difference.items() if files}
    return Updated(bundle.name, "pending" if dry_run else "updated", old, new, repository.date(new), changes)


def _repository(bundle: Bundle, abort: Abort) -> Repository:
    if bundle.source is None:
        raise UsageError(
            f"The bundle {bundle.name!r} did not come from git: change its folder {bundle.path} yourself."
        )
    # A project's file is written by others: it must not aim git at a folder of its choice.
    configured.refuse_others_file(bundle.name, "change it in")
    source = git_source.parse(bundle.source, ref=bundle.ref)
    if source is None:
        raise ConfigError(f"The source of the bundle {bundle.name!r} is none that git can fetch from.")
    repository = Repository(bundle.path, source, abort)
    if not repository.exists:
        raise NotFoundError(
            f"The clone of the bundle {bundle.name!r} is not in {bundle.path} any more.",
            code="SOURCE_NOT_FOUND",
            hint=f"Remove it with `akm bundle remove {bundle.name}` and add it again.",
        )
    return repository


def _refuse_driven(name: str, opened: Opened) -> None:
    """Keep scripts from changing under a run: its plan is frozen, its scripts are read where they lie."""
    with opened() as db:
        driven = lock.driven(lock.folder(db.path), bundle_refs.active_runs(db, name))
    if driven:
        raise TransientError(
            f"A run of the bundle {name!r} is being driven just now: {', '.join(sorted(driven))}.",
            code="RUN_LEASE_HELD",
        )
