"""The bundles that the configuration names: list them, add one to the user's file, take one out of it.

A bundle's own folder and whatever refers to the bundle are never touched here.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from akm import config, paths, refs
from akm.errors import NotFoundError, UsageError
from akm.spelling import suggestion


@dataclass(frozen=True, slots=True)
class Bundle:
    """One configured bundle. `workflows` counts its files, 0 when the folder is missing.

    `source`, `ref` and `commit` are None for a folder that did not come from git; `ref` also for one that
    follows the default branch.
    """

    name: str
    path: Path
    origin: str
    exists: bool
    workflows: int
    source: str | None = None
    ref: str | None = None
    commit: str | None = None

    def shown(self) -> dict[str, Any]:
        """Shape the bundle as JSON, without what it has not."""
        values = asdict(self) | {"path": str(self.path)}
        return {name: value for name, value in values.items() if value is not None}


def configured(layers: config.Layers) -> list[Bundle]:
    """List the configured bundles in the order in which refs are looked up."""
    return [
        Bundle(
            name,
            path,
            str(layers.origins["bundles", name, "path"]),
            os.path.isdir(path),
            len(refs.names({name: path}, Path(os.devnull))),
            **_pin(layers, name),
        )
        for name, path in config.bundles(layers).items()
    ]


def add(name: str, folder: Path, pin: Mapping[str, str | None] | None = None) -> Bundle:
    """Add a bundle to the user's configuration file; adding the same one twice changes nothing.

    `pin` holds `source`, `ref` and `commit` of a clone. Raises UsageError when the name cannot be used or is
    taken by another folder, or the folder is none.
    """
    check_name(name)
    is_shut = paths.is_shut(folder)
    if not is_shut and not os.path.isdir(folder):
        raise UsageError(f"There is no folder {folder}: create it first, or name another one.")
    if is_shut or not os.access(folder, os.R_OK | os.X_OK):
        raise UsageError(f"The folder {folder} cannot be read: correct its permissions first.")
    taken = config.bundles(config.read()).get(name)
    if taken is not None and os.path.realpath(taken) != os.path.realpath(folder):
        raise name_taken(name, taken)
    if taken is None:
        from akm.config_edit import file, tables

        values = {"path": str(folder)} | {key: value for key, value in (pin or {}).items() if value}
        file.edit(
            lambda text: tables.add(text, ("bundles", name), values), entry=f"the entry `bundles.{name}`"
        )
    return one(name)


def check_name(name: str) -> None:
    """Raise UsageError when the name cannot be a bundle's."""
    if not refs.is_bundle_name(name) or name == refs.PROJECT:
        raise UsageError(
            f"{name!r} cannot name a bundle: a name has no `:`, `.`, `#`, `/` or space and is not 'project'."
        )


def name_taken(name: str, folder: Path) -> UsageError:
    """Build the error about a name that another folder has."""
    return UsageError(
        f"The bundle {name!r} is configured already, with the folder {folder}.",
        code="RESOURCE_ALREADY_EXISTS",
        hint=f"Remove it first with `akm bundle remove {name}`, or choose another name.",
    )


def pin(name: str, commit: str) -> None:
    """Write down which commit a bundle of the user's configuration file stands at."""
    from akm.config_edit import file, values

    file.edit(
        lambda text: values.put(text, ("bundles", name), {"commit": commit}),
        entry=f"`bundles.{name}.commit`",
    )


def remove(name: str) -> Bundle:
    """Take a bundle out of the user's configuration file and return it as it was. Its folder stays.

    Raises NotFoundError when no such bundle is configured, UsageError when another file configures it.
    """
    from akm.config_edit import file, tables

    bundle = one(name)
    refuse_others_file(name, "remove it from")
    file.edit(lambda text: tables.remove(text, ("bundles", name)), entry=f"the entry `bundles.{name}`")
    return bundle


def one(name: str) -> Bundle:
    """Find a configured bundle. Raises NotFoundError `SOURCE_NOT_FOUND`."""
    known = {bundle.name: bundle for bundle in configured(config.read())}
    if name not in known:
        raise NotFoundError(
            f"No bundle named {name!r} is configured.",
            code="SOURCE_NOT_FOUND",
            hint=suggestion(name, known) or "List the configured ones with `akm bundle list`.",
        )
    return known[name]


def refuse_others_file(name: str, act: str) -> None:
    """Raise UsageError when the bundle, or a part of its entry, stands in another file than the user's.

    `act` says what has to be done in that file by hand, such as `remove it from`.
    """
    for key, origin in config.read().origins.items():
        if key[:2] == ("bundles", name) and origin.where != "user file":
            raise UsageError(f"The bundle {name!r} is configured in {origin.name}: {act} that file by hand.")


def _pin(layers: config.Layers, name: str) -> dict[str, str | None]:
    """Read what a bundle is pinned to, without checking the rest; what is no text counts as absent."""
    entry = layers.values["bundles"][name]
    found = {key: entry.get(key) for key in ("source", "ref", "commit")}
    return {key: value if isinstance(value, str) and value else None for key, value in found.items()}
