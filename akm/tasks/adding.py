"""Writing a new task file, checked before it is written."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from akm import config, paths
from akm.errors import ConfigError, UsageError
from akm.tasks import activation, ids, schedule, source, yaml_emit
from akm.tasks.activation import FOLDER, Place


@dataclass(frozen=True, slots=True)
class Wish:
    """What a new task is to do: exactly one of `workflow`, `prompt` and `command`, and when."""

    schedule: str
    workflow: str | None = None
    prompt: str | None = None
    command: str | None = None
    name: str | None = None
    description: str | None = None
    engine: str | None = None
    timeout_ms: int | None = None


def add(id: str, wish: Wish, *, bundle: str | None = None, force: bool = False) -> Place:
    """Write the file of a new task of version 4 and return where it is.

    Raises UsageError when anything of it is not sound, and `RESOURCE_ALREADY_EXISTS` when the file is there
    and `force` is not given; nothing is written then.
    """
    schedule.check(wish.schedule)
    document = _document(wish)
    place = _place(ids.typed(id), bundle)
    if os.path.lexists(place.path) and not force:
        raise UsageError(
            f"There is a task {place.ref} already: {place.path}.",
            code="RESOURCE_ALREADY_EXISTS",
            hint="Choose another id, or overwrite it with --force.",
        )
    raw = _yaml(document)
    source.parse(raw, place.path, bundle=place.bundle, root=place.root)
    _write(place.path, raw)
    return place


def _document(wish: Wish) -> dict[str, Any]:
    given = [target for target in (wish.workflow, wish.prompt, wish.command) if target is not None]
    if len(given) != 1:
        raise UsageError(
            "Give exactly one of --workflow, --prompt and --command.",
            code=None if given else "MISSING_REQUIRED_ARGUMENT",
        )
    document: dict[str, Any] = {"version": 4, "name": wish.name, "description": wish.description}
    if wish.workflow is not None:
        document["uses"] = wish.workflow
    elif wish.prompt is not None:
        document |= {"uses": "akm/command", "with": {"content": wish.prompt}}
    else:
        document["run"] = wish.command
    document |= {"engine": wish.engine, "timeout": wish.timeout_ms, "schedule": wish.schedule}
    return {key: value for key, value in document.items() if value is not None}


def _place(id: str, bundle: str | None) -> Place:
    known = activation.bundles(config.read())
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
    return Place(f"{bundle}//{FOLDER}{id}", bundle, id, known[bundle])


def _yaml(document: dict[str, Any]) -> bytes:
    return yaml_emit.emit(document).encode()


def _write(file: Path, raw: bytes) -> None:
    try:
        paths.create(file.parent)
        descriptor, draft = tempfile.mkstemp(prefix=".task-", dir=file.parent)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(raw)
        os.chmod(draft, 0o644)
        os.replace(draft, file)
    except OSError as error:
        raise ConfigError(f"The file {file} cannot be written: {error.strerror}.") from error
