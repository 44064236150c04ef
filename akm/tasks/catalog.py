"""Which task files exist, and which of them a ref or an id means. Reading one is `akm.tasks.source`'s."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from akm.errors import AkmError, NotFoundError, UsageError
from akm.ref_grammar import PROJECT
from akm.spelling import suggestion
from akm.tasks import ids, source
from akm.tasks.task import Task

FOLDER = "tasks"


@dataclass(frozen=True, slots=True)
class File:
    """A task file and the bundle it belongs to; whether it can be read is not known."""

    ref: str
    path: Path
    bundle: str
    root: Path


class Entry(NamedTuple):
    """A task file as it was read: the task, or the error that says why there is none."""

    ref: str
    path: Path
    task: Task | AkmError


def tasks(bundles: Mapping[str, Path], anchor: Path) -> list[Entry]:
    """Read every task file of the project and of the bundles; one bad file hides no other."""
    return [Entry(file.ref, file.path, _read(file)) for file in files(bundles, anchor)]


def find(name: str, *, bundles: Mapping[str, Path], anchor: Path, bundle: str | None = None) -> Task:
    """Read the task that a ref or an id means; errors as in `locate` and `akm.tasks.source.read`."""
    file = locate(name, bundles=bundles, anchor=anchor, bundle=bundle)
    return source.read(file.path, bundle=file.bundle, root=file.root)


def locate(name: str, *, bundles: Mapping[str, Path], anchor: Path, bundle: str | None = None) -> File:
    """Find the file of `[<bundle>//][tasks/]<id>`, without a bundle the project's before any other.

    Raises NotFoundError, and UsageError when an id exists in several bundles or cannot be one.
    """
    written, separator, rest = name.partition("//")
    if separator and bundle is not None and written != bundle:
        raise UsageError(f"{name} names another bundle than {bundle}: give one of them.")
    wanted = written if separator else bundle
    id = ids.typed((rest if separator else name).removeprefix(f"{FOLDER}/"))
    roots = _roots(bundles, anchor)
    if wanted is not None and wanted not in roots:
        if wanted == PROJECT:
            roots = {PROJECT: anchor}
        else:
            raise _unknown_bundle(wanted, roots)
    places = {wanted: roots[wanted]} if wanted is not None else roots
    found = [_file(one, root, id) for one, root in places.items() if _path(root, id).is_file()]
    if not found:
        raise _not_found(name, id, places, files(bundles, anchor))
    if len(found) > 1 and found[0].bundle != PROJECT:
        raise UsageError(f"{id} exists in several bundles: write {' or '.join(file.ref for file in found)}.")
    return found[0]


def files(bundles: Mapping[str, Path], anchor: Path) -> list[File]:
    """List the task files, those named .yaml included, which are never run."""
    found = []
    for bundle, root in _roots(bundles, anchor).items():
        folder = root / FOLDER
        if folder.is_dir():
            names = sorted(path for path in folder.iterdir() if path.suffix in (".yml", ".yaml"))
            found += [File(f"{bundle}//{FOLDER}/{path.stem}", path, bundle, root) for path in names]
    return found


def owner(path: Path, *, bundles: Mapping[str, Path], anchor: Path) -> File:
    """Say which bundle a file belongs to: the innermost that holds it, else the project."""
    real = Path(os.path.realpath(path))
    roots = sorted(_roots(bundles, anchor).items(), key=lambda item: -len(str(os.path.realpath(item[1]))))
    for bundle, root in roots:
        if Path(os.path.realpath(root)) in real.parents:
            return File(f"{bundle}//{FOLDER}/{path.stem}", path, bundle, root)
    root = real.parent.parent if real.parent.name == FOLDER else real.parent
    return File(f"{PROJECT}//{FOLDER}/{path.stem}", path, PROJECT, root)


def _roots(bundles: Mapping[str, Path], anchor: Path) -> dict[str, Path]:
    """Name the project first, unless its folder is a configured bundle, which then has its own name."""
    here = os.path.realpath(anchor)
    is_configured = any(os.path.realpath(root) == here for root in bundles.values())
    return dict(bundles) if is_configured else {PROJECT: anchor, **bundles}


def _read(file: File) -> Task | AkmError:
    try:
        return source.read(file.path, bundle=file.bundle, root=file.root)
    except AkmError as error:
        return error


def _file(bundle: str, root: Path, id: str) -> File:
    return File(f"{bundle}//{FOLDER}/{id}", _path(root, id), bundle, root)


def _path(root: Path, id: str) -> Path:
    return root / FOLDER / f"{id}{ids.ENDING}"


def _unknown_bundle(bundle: str, roots: Mapping[str, Path]) -> NotFoundError:
    return NotFoundError(
        f"No bundle named {bundle!r} is configured.",
        hint=suggestion(bundle, roots) or "Add it with `akm bundle add NAME PATH`.",
    )


def _not_found(name: str, id: str, places: Mapping[str, Path], known: list[File]) -> NotFoundError:
    looked = ", ".join(str(_path(root, id)) for root in places.values())
    hint = suggestion(name, [file.ref for file in known]) or "List the tasks with: akm task list"
    return NotFoundError(f"There is no task {name!r}: looked for {looked}.", hint=hint)
