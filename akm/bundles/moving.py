"""Moving a clone from one commit to another, so that a move that was cut off is finished by the next one."""

from __future__ import annotations

import os
from collections.abc import Callable

from akm.bundles.repository import Repository
from akm.errors import AkmError, UsageError

#: Holds the commit of a move under way. It is there from before the first file changes until the commit is
#: written down, so that what a killed move left is not taken for changes that somebody made.
_MARK = ".git/akm-moving"
#: What a killed git leaves, and every later one stops at.
_LOCKS = ("index.lock", "HEAD.lock")
_MOST_NAMES = 5
Record = Callable[[str], None]


def finish(repository: Repository, record: Record) -> None:
    """End a move that was cut off; nothing to do when there was none."""
    mark = repository.folder / _MARK
    if not mark.is_file():
        return
    commit = mark.read_text(encoding="ascii").strip()
    # git moves HEAD last: when it is there, the files are, and what differs now is somebody's change.
    if repository.head() != commit:
        for name in _LOCKS:
            (repository.folder / ".git" / name).unlink(missing_ok=True)
        repository.check_out(commit, force=True)
    record(commit)
    mark.unlink()


def refuse_changes(repository: Repository, pinned: str | None) -> str:
    """Return the commit that is checked out. Raises UsageError naming what was changed in the clone."""
    head = repository.head()
    if pinned is not None and head != pinned:
        raise UsageError(
            f"{repository.folder} stands at commit {head[:12]}, and the configuration says {pinned[:12]}.",
            code="LOCAL_CHANGES",
            hint=f"Go back with `git -C {repository.folder} checkout {pinned}`.",
        )
    changed = repository.changed()
    if changed:
        raise UsageError(
            f"Files in {repository.folder} were changed since they were fetched: {_listed(changed)}.",
            code="LOCAL_CHANGES",
            hint=f"Keep them elsewhere, then undo them with `git -C {repository.folder} checkout .`.",
        )
    return head


def move(repository: Repository, new: str, added: list[str], record: Record) -> None:
    """Check out `new` in a clone without changes and hand the commit to `record` when that is done.

    `added` are the files that `new` has and the clone's commit has not. Raises UsageError, with nothing
    changed, when others lie in their place.
    """
    lying = [file for file in added if os.path.lexists(repository.folder / file)]
    if lying:
        raise UsageError(
            f"The new commit brings files that lie in {repository.folder} already: {_listed(lying)}.",
            code="LOCAL_CHANGES",
            hint="Move them away.",
        )
    old = repository.head()
    _write(repository, new)
    try:
        repository.check_out(new)
    except AkmError:
        if repository.head() == old and not repository.changed():
            (repository.folder / _MARK).unlink()
        raise
    record(new)
    (repository.folder / _MARK).unlink()


def _write(repository: Repository, commit: str) -> None:
    draft = repository.folder / f"{_MARK}.tmp"
    draft.write_text(commit, encoding="ascii")
    os.replace(draft, repository.folder / _MARK)


def _listed(files: list[str]) -> str:
    more = len(files) - _MOST_NAMES
    return ", ".join(files[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
