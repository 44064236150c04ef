"""The git repository that holds a directory, and which commit it stands at."""

from __future__ import annotations

import os
from typing import NamedTuple

from akm.engine.isolation import git
from akm.engine.isolation.git import GitFault


class Repository(NamedTuple):
    """The repository of the directory `base`, which is `prefix` below its top (empty: the top itself).

    `common` is git's own folder, the same for all working trees of the repository.
    """

    base: str
    prefix: str
    common: str


def of(base: str) -> Repository:
    """Find the repository that holds a directory. Raises GitFault when none with a working tree does."""
    try:
        told = git.ask(base, "rev-parse", "--is-inside-work-tree", "--git-common-dir", "--show-prefix")
    except GitFault as fault:
        if "not a git repository" in fault.reason:
            raise GitFault(f"{base} is in no git repository") from None
        raise GitFault(f"git does not say which repository {base} is in ({fault.reason})") from None
    is_inside, common, prefix = f"{told}\n".split("\n")[:3]
    if is_inside != "true":
        raise GitFault(f"the git repository of {base} is bare, or this is git's own folder")
    return Repository(base, prefix.rstrip("/"), os.path.realpath(os.path.join(base, common)))


def head(base: str) -> str:
    """Return the commit that a directory's repository stands at. Raises GitFault when there is none."""
    repository = of(base)
    try:
        return git.ask(repository.base, "rev-parse", "--verify", "--quiet", "HEAD^{commit}").strip()
    except GitFault:
        raise GitFault(f"the git repository of {base} has no commit yet") from None


def check(repository: Repository, commit: str) -> None:
    """Raise GitFault unless the commit is there and holds the base directory."""
    try:
        git.ask(repository.base, "cat-file", "-e", f"{commit}:{repository.prefix}")
    except GitFault:
        raise GitFault(
            f"commit {commit[:12]} does not hold {repository.base} (any more), or is gone itself"
        ) from None
