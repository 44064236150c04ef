"""Which task files exist, and which of them a ref or an id means. They are read in `akm.tasks.files`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from akm import paths
from akm.errors import AkmError, ConfigError, NotFoundError, UsageError
from akm.ref_grammar import PROJECT
from akm.spelling import suggestion
from akm.tasks.files import ids, source
from akm.tasks.files.task import Task

FOLDER = "tasks"


@dataclass(frozen=True, slots=True)
class File:
    """A task's file and the bundle it belongs to; whether it is there and can be read is not known."""

    bundle: str
    root: Path
    path: Path

    @property
    def id(self) -> str:
        """Return the task's id."""
        return self.path.stem

    @property
    def ref(self) -> str:
        """Return the task's fully qualified ref."""
        return f"{self.bundle}//{FOLDER}/{self.id}"


class Entry(NamedTuple):
    """A task file as it was read: the task, or the error that says why there is none."""

    ref: str
    path: Path
    task: Task | AkmError


def tasks(bundles: Mapping[str, Path], anchor: Path | None) -> list[Entry]:
    """Read every task file of the bundles and of the project, if any; one bad file hides no other.

    A folder of tasks that cannot be read is one entry, with the ref `<bundle>//tasks`.
    """
    found: list[Entry] = []
    for bundle, root in _roots(bundles, anchor).items():
        try:
            inside = _inside(bundle, root)
        except OSError as error:
            folder = root / FOLDER
            fault = ConfigError(f"The folder {folder} cannot be read: {error.strerror}.")
            found.append(Entry(f"{bundle}//{FOLDER}", folder, fault))
            continue
        found += [Entry(file.ref, file.path, _outcome(file)) for file in inside]
    return found


def find(name: str, *, bundles: Mapping[str, Path], anchor: Path, bundle: str | None = None) -> Task:
    """Read the task that a ref or an id means; errors as in `locate` and `akm.tasks.files.source.read`."""
    return read(locate(name, bundles=bundles, anchor=anchor, bundle=bundle))


def read(file: File) -> Task:
    """Read one task file; errors as in `akm.tasks.files.source.read`."""
    return source.read(file.path, bundle=file.bundle, root=file.root)


def locate(name: str, *, bundles: Mapping[str, Path], anchor: Path, bundle: str | None = None) -> File:
    """Find the file of `[<bundle>//][tasks/]<id>`, without a bundle the project's before any other.

    Raises NotFoundError, and UsageError for an unknown bundle, an id in several bundles and one that is none.
    """
    written, id = taken_apart(name)
    if None not in (written, bundle) and written != bundle:
        raise UsageError(f"{name} names another bundle than {bundle}: give one of them.")
    wanted = bundle if written is None else written
    roots = _roots(bundles, anchor)
    if wanted == PROJECT:
        roots = {PROJECT: anchor}
    elif wanted is not None and wanted not in roots:
        raise unknown_bundle(wanted, roots)
    places = [file(one, root, id) for one, root in roots.items() if wanted in (None, one)]
    found = [place for place in places if os.path.isfile(place.path)]
    if not found:
        # Read, it says why it cannot be.
        found = [place for place in places if paths.is_shut(place.path)][:1]
    if not found:
        raise _not_found(name, places, files(bundles, anchor))
    if len(found) > 1 and found[0].bundle != PROJECT:
        raise ambiguous(id, [place.ref for place in found])
    return found[0]


def taken_apart(name: str) -> tuple[str | None, str]:
    """Return the bundle, if any, and the id of a typed ref. Raises UsageError for what can be no id."""
    bundle, separator, rest = name.rpartition("//")
    return bundle if separator else None, ids.typed(rest.removeprefix(f"{FOLDER}/"))


def file(bundle: str, root: Path, id: str) -> File:
    """Say where the file of a task is."""
    return File(bundle, root, root / FOLDER / f"{id}{ids.ENDING}")


def files(bundles: Mapping[str, Path], anchor: Path | None) -> list[File]:
    """List the task files of folders that can be read, those named .yaml included, which are never run."""
    found = []
    for bundle, root in _roots(bundles, anchor).items():
        with suppress(OSError):
            found += _inside(bundle, root)
    return found


def owner(path: Path, *, bundles: Mapping[str, Path], anchor: Path) -> File:
    """Say which bundle a file belongs to: the innermost that holds it, else the project."""
    real = Path(os.path.realpath(path))
    roots = sorted(_roots(bundles, anchor).items(), key=lambda item: -len(str(os.path.realpath(item[1]))))
    for bundle, root in roots:
        if Path(os.path.realpath(root)) in real.parents:
            return File(bundle, root, path)
    root = real.parent.parent if real.parent.name == FOLDER else real.parent
    return File(PROJECT, root, path)


def unknown_bundle(name: str, known: Mapping[str, Path]) -> UsageError:
    """Build the error about a bundle that is not among `known`."""
    return UsageError(
        f"No bundle named {name!r} is configured.",
        hint=suggestion(name, known) or "Add it with `akm bundle add NAME PATH`.",
    )


def ambiguous(id: str, refs: list[str]) -> UsageError:
    """Build the error about an id that means several tasks."""
    return UsageError(f"{id} exists in several bundles: write {' or '.join(refs)}.")


def _roots(bundles: Mapping[str, Path], anchor: Path | None) -> dict[str, Path]:
    """Name the project first, unless its folder is a configured bundle, which then has its own name."""
    if anchor is None:
        return dict(bundles)
    here = os.path.realpath(anchor)
    is_configured = any(os.path.realpath(root) == here for root in bundles.values())
    return dict(bundles) if is_configured else {PROJECT: anchor, **bundles}


def _inside(bundle: str, root: Path) -> list[File]:
    try:
        names = sorted(path for path in (root / FOLDER).iterdir() if path.suffix in (".yml", ".yaml"))
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [File(bundle, root, path) for path in names]


def _outcome(file: File) -> Task | AkmError:
    try:
        return read(file)
    except AkmError as error:
        return error


def _not_found(name: str, places: list[File], known: list[File]) -> NotFoundError:
    looked = ", ".join(str(place.path) for place in places)
    hint = suggestion(name, [file.ref for file in known]) or "List the tasks with: akm task list"
    return NotFoundError(f"There is no task {name!r}: looked for {looked}.", hint=hint)
