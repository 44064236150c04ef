"""The bundles that the configuration names: list them, add one to the user's file, take one out of it.

A bundle's own folder and whatever refers to the bundle are never touched here.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from akm import config, paths, refs
from akm.errors import ConfigError, NotFoundError, TransientError, UsageError
from akm.spelling import suggestion

_LOCK_SECONDS = 10


@dataclass(frozen=True, slots=True)
class Bundle:
    """One configured bundle. `workflows` counts its files, 0 when the folder is missing."""

    name: str
    path: Path
    origin: str
    exists: bool
    workflows: int


def configured(layers: config.Layers) -> list[Bundle]:
    """List the configured bundles in the order in which refs are looked up."""
    return [
        Bundle(
            name,
            path,
            str(layers.origins["bundles", name, "path"]),
            os.path.isdir(path),
            len(refs.names({name: path}, Path(os.devnull))),
        )
        for name, path in config.bundles(layers).items()
    ]


def add(name: str, folder: Path) -> Bundle:
    """Add a bundle to the user's configuration file; adding the same one twice changes nothing.

    Raises UsageError when the name cannot be used or is taken by another folder, or the folder is none.
    """
    if not refs.is_bundle_name(name) or name == refs.PROJECT:
        raise UsageError(
            f"{name!r} cannot name a bundle: a name has no `:`, `.`, `#`, `/` or space and is not 'project'."
        )
    if not folder.is_dir():
        raise UsageError(f"There is no folder {folder}: create it first, or name another one.")
    taken = config.bundles(config.read()).get(name)
    if taken is not None and os.path.realpath(taken) != os.path.realpath(folder):
        raise UsageError(
            f"The bundle {name!r} is configured already, with the folder {taken}.",
            code="RESOURCE_ALREADY_EXISTS",
            hint=f"Remove it first with `akm bundle remove {name}`, or choose another name.",
        )
    if taken is None:
        from akm.bundles import toml_table

        _edit(lambda text: toml_table.add(text, ("bundles", name), {"path": str(folder)}), name)
    return _one(name)


def remove(name: str) -> Bundle:
    """Take a bundle out of the user's configuration file and return it as it was. Its folder stays.

    Raises NotFoundError when no such bundle is configured, UsageError when another file configures it.
    """
    from akm.bundles import toml_table

    bundle = _one(name)
    origin = config.read().origins["bundles", name, "path"]
    if origin.where != "user file":
        raise UsageError(
            f"The bundle {name!r} is configured in {origin.name}: remove it from that file by hand."
        )
    _edit(lambda text: toml_table.remove(text, ("bundles", name)), name)
    return bundle


def _one(name: str) -> Bundle:
    known = {bundle.name: bundle for bundle in configured(config.read())}
    if name not in known:
        raise NotFoundError(
            f"No bundle named {name!r} is configured.",
            code="SOURCE_NOT_FOUND",
            hint=suggestion(name, known) or "List the configured ones with `akm bundle list`.",
        )
    return known[name]


def _edit(change: Callable[[str], str], name: str) -> None:
    from filelock import FileLock, Timeout

    file = paths.user_config_file()
    paths.create(file.parent)
    # A configuration file kept elsewhere and linked here stays linked.
    file = Path(os.path.realpath(file))
    try:
        with FileLock(f"{file}.lock", timeout=_LOCK_SECONDS):
            _replace(file, _changed(file, change, name))
    except Timeout as error:
        raise TransientError(f"Another process is changing {file}: try again.", code="CONFIG_HELD") from error
    except OSError as error:
        raise ConfigError(f"The configuration file {file} cannot be changed: {error.strerror}.") from error


def _changed(file: Path, change: Callable[[str], str], name: str) -> str:
    if file.exists():
        config.read_file(file)  # Whatever is wrong with the file is said in its own words.
    try:
        with open(file, encoding="utf-8", newline="") as stream:
            text = stream.read()
    except FileNotFoundError:
        text = ""
    try:
        return change(text)
    except (ValueError, KeyError) as error:
        raise ConfigError(
            f"{file} is written in a way that akm cannot change safely: nothing was changed.",
            hint=f"Edit the entry `bundles.{name}` in that file by hand.",
        ) from error


def _replace(file: Path, text: str) -> None:
    import tempfile

    mode = file.stat().st_mode & 0o777 if file.exists() else 0o600
    descriptor, draft = tempfile.mkstemp(prefix=".config-", suffix=".toml", dir=file.parent)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(text.encode())
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(draft, mode)
        os.replace(draft, file)
    except BaseException:
        os.unlink(draft)
        raise
