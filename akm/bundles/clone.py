"""Adding a bundle from git: cloned beside its place, moved there whole, and written down last."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from akm import config
from akm.bundles import clones, configured, git, moving
from akm.bundles.configured import Bundle
from akm.bundles.git_source import GitSource
from akm.bundles.repository import Repository
from akm.engine.abort import Abort
from akm.errors import UsageError


@dataclass(frozen=True, slots=True)
class Cloned:
    """A bundle from git, the commit it stands at and when that was made."""

    bundle: Bundle
    commit: str
    date: str


def add(source: GitSource, name: str) -> Cloned:
    """Clone a repository into the data directory and configure it; the same again changes nothing.

    Raises UsageError when the name is taken or cannot be used, and what `akm.bundles.git.run` raises.
    """
    configured.check_name(name)
    with clones.held() as home, git.stoppable() as abort:
        known = _known(source, name)
        if known is not None:
            repository = Repository(known.path, source, abort)
            head = repository.head()
            return Cloned(known, head, repository.date(head))
        target = home / name
        _refuse_used(target, name)
        commit = _adopted(target, source, abort) or _cloned(home, target, source, abort)
        pin = {"source": source.text, "ref": source.ref, "commit": commit}
        bundle = configured.add(name, target, pin)
        return Cloned(bundle, commit, Repository(target, source, abort).date(commit))


def _known(source: GitSource, name: str) -> Bundle | None:
    for bundle in configured.configured(config.read()):
        if bundle.name == name:
            is_same = (bundle.source, bundle.ref) == (source.text, source.ref)
            if is_same and (bundle.path / ".git").is_dir():
                return bundle
            raise configured.name_taken(name, bundle.path)
    return None


def _refuse_used(target: Path, name: str) -> None:
    """Keep two bundles out of one folder: a bundle that was renamed keeps the folder of its first name."""
    for other, path in config.bundles(config.read()).items():
        if os.path.realpath(path) == os.path.realpath(target):
            raise UsageError(
                f"The folder of a bundle {name!r}, {target}, is the bundle {other!r} already.",
                code="RESOURCE_ALREADY_EXISTS",
                hint="Choose another name with --name.",
            )


def _cloned(home: Path, target: Path, source: GitSource, abort: Abort) -> str:
    with clones.draft(home) as draft:
        made = draft / target.name
        made.mkdir(mode=0o700)
        repository = Repository(made, source, abort)
        repository.create()
        commit = repository.fetch()
        repository.check_out(commit)
        os.rename(made, target)
    return commit


def _adopted(target: Path, source: GitSource, abort: Abort) -> str | None:
    """Bring a clone that lies in the place already up to date; None when nothing lies there.

    One was left when its bundle was removed, or when akm was killed before it was written down.
    """
    if not os.path.lexists(target):
        return None
    repository = Repository(target, source, abort)
    if not repository.exists or repository.origin() != source.url:
        raise UsageError(
            f"Something else lies in {target}, where the clone belongs.",
            code="RESOURCE_ALREADY_EXISTS",
            hint="Move it away, or choose another name with --name.",
        )
    moving.finish(repository, lambda _commit: None)
    old = moving.refuse_changes(repository, None)
    new = repository.fetch()
    if new != old:
        moving.move(repository, new, repository.difference(old, new)["added"], lambda _commit: None)
    return new
