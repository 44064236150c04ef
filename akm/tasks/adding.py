"""A new task: its file, checked before it is written, and the row that fires it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from akm import config
from akm.engine import workplace
from akm.engine.files import file_text
from akm.errors import AkmError, ConfigError, UsageError
from akm.tasks import catalog, schedule
from akm.tasks.catalog import File
from akm.tasks.execution import usable
from akm.tasks.files import ids, source, wishes, yaml_emit
from akm.tasks.files.wishes import Wish
from akm.tasks.firing import activation, installation, switching, sync
from akm.tasks.schedulers import lock
from akm.tasks.schedulers.row import owner

_TAKEN = "RESOURCE_ALREADY_EXISTS"


def add(
    id: str,
    wish: Wish,
    *,
    bundle: str | None = None,
    is_on: bool = True,
    force: bool = False,
    rebind: bool = False,
) -> dict[str, Any]:
    """Write the file of a new task, switch it on or off, and sync its bundle.

    Returns `{path, ref, enabled, changed, sync}`. Raises before anything is written when the wish is not
    sound or needs what is not there, and UsageError `RESOURCE_ALREADY_EXISTS` when the file is there without
    `force`, or another row has its name without `rebind`. Raises with the file written when the scheduler
    cannot be used at all; a row that it refuses is a failure of the sync.
    """
    schedule.check(wish.schedule)
    file = _file(ids.typed(id), bundle)
    raw = yaml_emit.emit(wishes.document(wish)).encode("utf-8", "surrogatepass")
    task = source.parse(raw, file.path, bundle=file.bundle, root=file.root)
    # As the schedule will see it: from no project.
    usable.check(task, workplace.here(file.root, layers=config.read(Path("/"))))
    with lock.held():
        _check_free(file, force=force, rebind=rebind)
        _write(file.path, raw)
        return {"path": str(file.path), **_switched(file, is_on=is_on, rebind=rebind)}


def _file(id: str, bundle: str | None) -> File:
    known = activation.bundles()
    if bundle is None:
        if len(known) != 1:
            names = ", ".join(known) or "none is configured: see `akm bundle add NAME PATH`"
            raise UsageError(f"Say which bundle the task goes into, with --bundle ({names}).")
        bundle = next(iter(known))
    if bundle not in known:
        raise UsageError(
            f"No bundle named {bundle!r} is configured in the user's file, which is what schedules see.",
            hint="Add it with `akm bundle add NAME PATH`.",
        )
    return catalog.file(bundle, known[bundle], id)


def _check_free(file: File, *, force: bool, rebind: bool) -> None:
    if os.path.lexists(file.path) and not force:
        raise UsageError(
            f"There is a task {file.ref} already: {file.path}.",
            code=_TAKEN,
            hint="Choose another id, or overwrite it with --force.",
        )
    mark = installation.here().mark
    for block in sync.installed():
        whose = owner(block.native_id)
        if whose is None or whose.ref.lower() != file.ref.lower():
            continue
        if whose.installation != mark and not rebind:
            raise UsageError(
                f"Another installation of akm fires {whose.ref} already, with the row {block.native_id}.",
                code=_TAKEN,
                hint="Choose another id, or take the row over with --rebind.",
            )
        if whose.installation == mark and whose.ref != file.ref:
            raise UsageError(
                f"{whose.ref} is scheduled already, and only the case of letters tells it from {file.ref}.",
                code=_TAKEN,
                hint="Choose another id.",
            )


def _write(path: Path, raw: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file_text.replace(path, raw)
    except OSError as error:
        raise ConfigError(f"The file {path} cannot be written: {error.strerror}.") from error


def _switched(file: File, *, is_on: bool, rebind: bool) -> dict[str, Any]:
    try:
        return switching.switched(file.ref, is_on=is_on, rebind=rebind)
    except AkmError as error:
        raise type(error)(f"Wrote {file.path}. {error.message}", code=error.code, hint=error.hint) from error
