"""One git worktree on the disk: making it, seeing whether it holds work, removing it. Knows no ledger."""

from __future__ import annotations

import fcntl
import hashlib
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from akm import private_files
from akm.engine.abort import Abort
from akm.engine.isolation import git
from akm.engine.isolation.git import GitFault
from akm.engine.isolation.repositories import Repository

_LOOK_SECONDS = 0.02
_LONGEST_SECONDS = 1800.0


def make(repository: Repository, commit: str, path: str, scratch: Path, abort: Abort) -> None:
    """Make a detached worktree at `path`, or leave the one alone that a killed attempt had there.

    One at a time per repository. Raises GitFault or OSError; then nothing is there that was not before.
    """
    with turn(repository.common, scratch, abort) as held:
        if os.path.lexists(path):
            if _is_whole(path, repository.common):
                return
            discard(repository.common, path)
        private_files.make_folder(Path(path).parent)
        words = ("worktree", "add", "--quiet", "--force", "--force", "--detach", path, commit)
        try:
            # Forced, because git may remember a worktree of this path whose folder is gone.
            git.ask(repository.base, *words, abort=abort, held=(held,), seconds=_LONGEST_SECONDS)
        except GitFault:
            with suppress(OSError):
                discard(repository.common, path)
            raise


def is_dirty(path: str, commit: str) -> bool:
    """Tell whether a worktree holds work: changes, new files that are not ignored, or commits of its own.

    Raises GitFault when that cannot be said.
    """
    words = ("status", "--porcelain", "--untracked-files=normal", "--ignore-submodules=none")
    if git.ask(path, *words, is_root=True):
        return True
    return git.ask(path, "rev-parse", "HEAD", is_root=True).strip() != commit


def discard(common: str, path: str) -> None:
    """Remove a worktree with all that is in it, and what git remembers of it. Raises OSError.

    `common` is git's own folder of the repository.
    """
    with suppress(GitFault):
        git.ask(common, "worktree", "remove", "--force", "--force", path)
    _erase(path)


def common_of(path: str) -> str:
    """Return git's own folder of the repository that a worktree belongs to. Raises GitFault."""
    told = git.ask(path, "rev-parse", "--git-common-dir", is_root=True).rstrip("\n")
    return os.path.realpath(os.path.join(path, told))


@contextmanager
def turn(common: str, scratch: Path, abort: Abort | None = None) -> Iterator[int]:
    """Wait until nobody else of this ledger adds worktrees to the repository, and hold the others off.

    Yields the descriptor that holds the lock: git keeps it open, so that one that outlives a killed driver is
    waited for. Raises GitFault when `abort` is set meanwhile, OSError when the folder is unusable.
    """
    private_files.make_folder(scratch)
    name = hashlib.sha256(os.fsencode(common)).hexdigest()[:16]
    descriptor = os.open(scratch / f"{name}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, private_files.FILE)
    try:
        while not _took(descriptor):
            if abort is None:
                time.sleep(_LOOK_SECONDS)
            elif abort.wait(_LOOK_SECONDS):
                raise GitFault("it was stopped while another one was being made")
        if os.fstat(descriptor).st_size == 0:
            # For whoever looks for what git remembers of worktrees that are gone.
            os.write(descriptor, os.fsencode(common))
        yield descriptor
    finally:
        os.close(descriptor)


def repositories(scratch: Path) -> list[str]:
    """List git's own folders of the repositories that worktrees were ever made of here."""
    found = [os.fsdecode(file.read_bytes()) for file in sorted(scratch.glob("*.lock"))]
    return [common for common in found if common]


def _took(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_whole(path: str, common: str) -> bool:
    """Tell whether a worktree of the repository is there; False for one whose making was cut off.

    Raises GitFault when it is neither: then it may be somebody's work.
    """
    if not set(os.listdir(path)) - {".git"}:
        return False
    try:
        told = git.ask(path, "rev-parse", "--absolute-git-dir", is_root=True).rstrip("\n")
        is_ours = common_of(path) == common
    except GitFault as fault:
        raise GitFault(f"{path} is there already and is no worktree ({fault.reason}); move it away") from None
    if not is_ours:
        raise GitFault(f"{path} is there already and belongs to another repository; move it away")
    return not _is_initializing(told)


def _is_initializing(git_folder: str) -> bool:
    # git locks a worktree with this word while it makes it.
    try:
        return (
            Path(git_folder, "locked")
            .read_text(encoding="utf-8", errors="replace")
            .startswith("initializing")
        )
    except OSError:
        return False


def _erase(path: str) -> None:
    """Remove a folder although some folders in it are read-only, as package caches make them."""
    if not os.path.lexists(path):
        return
    # It brings the libraries of compression along, which runs without worktrees do without.
    import shutil

    with suppress(OSError):
        os.chmod(path, 0o700)
    for folder, names, _files in os.walk(path):
        for name in names:
            inner = os.path.join(folder, name)
            if not os.path.islink(inner):
                with suppress(OSError):
                    os.chmod(inner, 0o700)
    shutil.rmtree(path)
