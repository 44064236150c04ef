"""Where the files of a task and the directory of its process are: in a bundle, never outside of it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from akm.errors import NotFoundError, UsageError
from akm.spelling import suggestion
from akm.tasks.files.task import Task


def directory(task: Task, relative: str | None) -> Path:
    """Return the real directory that a task runs in. Raises UsageError when it is none of its bundle's."""
    base = Path(os.path.realpath(task.root))
    real = Path(os.path.realpath(base / (relative or ".")))
    if real != base and base not in real.parents:
        raise UsageError(
            f"The working-directory {relative} of the task {task.ref} leads out of its bundle {base}.",
            code="PATH_ESCAPE_VIOLATION",
        )
    if not real.is_dir():
        raise UsageError(f"The task {task.ref} is to run in {real}, which is no directory: create it.")
    return real


def asset(task: Task, ref: str, bundles: Mapping[str, Path], *, ending: str = "") -> Path:
    """Return the file that a ref names; one without a bundle is in the task's own.

    Raises NotFoundError when it is not there, UsageError `PATH_ESCAPE_VIOLATION` when it leads out of its
    bundle.
    """
    bundle, _, inner = ref.rpartition("//")
    root = _root(task, bundle or task.bundle, bundles)
    file = root / f"{inner}{ending}"
    if not file.is_file():
        raise NotFoundError(
            f"The task {task.ref} uses {ref}, but there is no file {file}.",
            hint=f"Write it, or correct the ref in {task.path}.",
        )
    real = Path(os.path.realpath(file))
    if Path(os.path.realpath(root)) not in real.parents:
        raise UsageError(
            f"The task {task.ref} uses {ref}, which leads out of its bundle: keep the file inside {root}.",
            code="PATH_ESCAPE_VIOLATION",
        )
    return file


def _root(task: Task, bundle: str, bundles: Mapping[str, Path]) -> Path:
    if bundle == task.bundle:
        return task.root
    if bundle not in bundles:
        raise NotFoundError(
            f"The task {task.ref} uses the bundle {bundle!r}, which is not configured.",
            hint=suggestion(bundle, bundles) or "Add it with `akm bundle add NAME PATH`.",
        )
    return bundles[bundle]
