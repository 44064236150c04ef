"""What a bundle's folder holds, by the names of its files. No file is read, no link followed out of it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from akm.ref_grammar import FOLDER, MARKDOWN

TASKS = "tasks"
#: The folders of a bundle that akm reads, and the ending of their files; None takes every file.
ENDINGS: dict[str, str | None] = {
    FOLDER: MARKDOWN,
    TASKS: ".yml",
    "scripts": None,
    "env": None,
    "secrets": None,
}


class Contents(NamedTuple):
    """Sorted names: workflows and tasks as refs name them, files with their endings, other folders.

    A missing folder holds nothing.
    """

    workflows: tuple[str, ...]
    tasks: tuple[str, ...]
    scripts: tuple[str, ...]
    env: tuple[str, ...]
    secrets: tuple[str, ...]
    other: tuple[str, ...]

    def counts(self) -> dict[str, int]:
        """Count the names of each kind, in the order of the fields."""
        return {kind: len(names) for kind, names in self._asdict().items()}


def contents(path: Path) -> Contents:
    """List what the bundle in `path` holds."""
    found = {kind: tuple(sorted(_names(path, kind))) for kind in ENDINGS}
    return Contents(**found, other=tuple(sorted(_others(path))))


def leading_out(path: Path) -> list[str]:
    """List the symbolic links anywhere in the folder, `.git` left out, that lead out of it."""
    root = os.path.realpath(path)
    links = (entry for entry in _entries(root, is_all=True) if entry.is_symlink())
    return sorted(os.path.relpath(link.path, root) for link in links if not _is_inside(link.path, root))


def named(files: list[str]) -> dict[str, list[str]]:
    """Group paths within a bundle by kind, named as in `Contents`; files of no kind are under `other`."""
    found: dict[str, list[str]] = {}
    for file in files:
        kind, _, inner = file.partition("/")
        name = _name(kind, inner)
        found.setdefault("other" if name is None else kind, []).append(name or file)
    return found


def _name(kind: str, inner: str) -> str | None:
    """Return what the file `inner` of a folder is called; None when it is nothing of that kind."""
    ending = ENDINGS.get(kind)
    is_nested_task = kind == TASKS and "/" in inner
    if kind not in ENDINGS or is_nested_task or not inner.endswith(ending or ""):
        return None
    return inner.removesuffix(ending or "")


def _names(root: Path, kind: str) -> Iterator[str]:
    folder = os.path.realpath(root / kind)
    if _is_inside(folder, os.path.realpath(root)):
        for entry in _entries(folder, is_all=False):
            name = _name(kind, os.path.relpath(entry.path, folder))
            if name is not None and entry.is_file():
                yield name


def _entries(folder: str, *, is_all: bool) -> Iterator[os.DirEntry[str]]:
    """Walk the folder without following links to folders. `is_all` keeps what is hidden, except `.git`."""
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        if entry.name == ".git" or (entry.name.startswith(".") and not is_all):
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _entries(entry.path, is_all=is_all)
        else:
            yield entry


def _others(root: Path) -> Iterator[str]:
    try:
        entries = list(os.scandir(root))
    except OSError:
        return
    for entry in entries:
        if (
            entry.name not in ENDINGS
            and not entry.name.startswith(".")
            and entry.is_dir(follow_symlinks=False)
        ):
            yield entry.name


def _is_inside(path: str, root: str) -> bool:
    real = os.path.realpath(path)
    return real == root or real.startswith(f"{root.rstrip('/')}/")
