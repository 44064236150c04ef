"""Adding a bundle from whatever a source means: a folder where it lies, or a repository to be cloned."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from akm import paths
from akm.bundles import clone, configured, contents, git_source
from akm.bundles.configured import Bundle
from akm.bundles.contents import Contents
from akm.errors import UsageError
from akm.ref_grammar import PROJECT


@dataclass(frozen=True, slots=True)
class Added:
    """A bundle, what it holds, and when its commit was made; None for a folder."""

    bundle: Bundle
    contents: Contents
    date: str | None
    warnings: tuple[str, ...]

    def shown(self) -> dict[str, Any]:
        """Shape it as JSON."""
        found = {name: list(names) for name, names in self.contents._asdict().items()}
        dated = {} if self.date is None else {"date": self.date}
        return {"bundle": self.bundle.shown(), "contents": found} | dated


def add(source: str, *, name: str | None, ref: str | None, cwd: Path) -> Added:
    """Add a bundle under `name`, or under the last part of its source.

    Raises UsageError for a source, name or ref that cannot be used, and what cloning raises.
    """
    repository = git_source.parse(source, ref=ref)
    if repository is None:
        return _folder(source, name, ref, cwd)
    cloned = clone.add(repository, _named(name, repository.name))
    return Added(
        cloned.bundle,
        contents.contents(cloned.bundle.path),
        cloned.date,
        tuple(
            f"{link} in {cloned.bundle.path} is a link that leads out of the bundle."
            for link in contents.leading_out(cloned.bundle.path)
        ),
    )


def _folder(source: str, name: str | None, ref: str | None, cwd: Path) -> Added:
    if ref is not None:
        raise UsageError(f"--ref is for git sources ({git_source.FORMS}): a folder is used as it is.")
    path = paths.absolute(git_source.folder(source), cwd)
    if not os.path.isdir(path) and not paths.is_shut(path):
        raise UsageError(f"There is no folder {path}: create it first, or give {git_source.FORMS}.")
    bundle = configured.add(_named(name, git_source.legal_name(os.path.realpath(path))), path)
    return Added(bundle, contents.contents(path), None, ())


def _named(chosen: str | None, suggested: str) -> str:
    if chosen is None and suggested in ("", PROJECT):
        raise UsageError("No name for the bundle can be made from its source: give one with --name.")
    return suggested if chosen is None else chosen
