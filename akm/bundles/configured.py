"""The bundles that the configuration names: list them, add one to the user's file, take one out of it.

A bundle's own folder and whatever refers to the bundle are never touched here.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from akm import config, refs
from akm.errors import NotFoundError, UsageError
from akm.spelling import suggestion


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
        from akm.config_edit import file, tables

        values = {"path": str(folder)}
        file.edit(
            lambda text: tables.add(text, ("bundles", name), values), entry=f"the entry `bundles.{name}`"
        )
    return _one(name)


def remove(name: str) -> Bundle:
    """Take a bundle out of the user's configuration file and return it as it was. Its folder stays.

    Raises NotFoundError when no such bundle is configured, UsageError when another file configures it.
    """
    from akm.config_edit import file, tables

    bundle = _one(name)
    origin = config.read().origins["bundles", name, "path"]
    if origin.where != "user file":
        raise UsageError(
            f"The bundle {name!r} is configured in {origin.name}: remove it from that file by hand."
        )
    file.edit(lambda text: tables.remove(text, ("bundles", name)), entry=f"the entry `bundles.{name}`")
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
