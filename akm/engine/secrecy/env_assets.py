"""Env assets of a unit: described by name when a plan is frozen, read live when the unit is dispatched."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from akm import ref_grammar
from akm.engine.secrecy import env_files, secrets
from akm.errors import AkmError, NotFoundError, UsageError
from akm.spelling import suggestion
from akm.workflow.plan import EnvBinding

FOLDER = "env/"
_ENDING = ".env"


@dataclass(frozen=True, slots=True)
class Owner:
    """A bundle as an env asset sees it: its name and its folder."""

    bundle: str
    root: Path


def described(
    refs: Iterable[str], *, home: Owner, bundles: Mapping[str, Path]
) -> tuple[dict[str, dict[str, Any]], list[AkmError]]:
    """Describe env assets for a plan as {ref: {owner, keys, secretNames}}, with the faults of the others."""
    found: dict[str, dict[str, Any]] = {}
    faults: list[AkmError] = []
    for ref in dict.fromkeys(refs):
        try:
            found[ref] = _described(ref, home, bundles)
        except AkmError as error:
            faults.append(error)
    return found, faults


@dataclass(frozen=True, slots=True)
class Materialised:
    """The variables of one env asset, live, and the secrets that went into them, by name."""

    ref: str
    variables: Mapping[str, str]
    secrets: Mapping[str, str]


def materialise(binding: EnvBinding, environment: Mapping[str, str]) -> Materialised:
    """Read an env asset that a plan describes and put its secrets in.

    Raises UsageError WORKFLOW_SOURCE_INVALID when it has other variables or secrets than the plan says,
    NotFoundError FILE_NOT_FOUND when the file or a secret is gone.
    """
    owner = binding.detail.get("owner") or {}
    root = Path(str(owner.get("requestedRoot") or "/"))
    file = _inside(root, root / str(owner.get("relativePath") or ""), binding.name)
    entries = env_files.read(file)
    _refuse_changed(file, "variables", sorted(entries), binding.detail.get("keys"))
    names = env_files.secret_names(entries)
    _refuse_changed(file, "secrets", names, binding.detail.get("secretNames"))
    values = {name: secrets.resolve(name, root, environment) for name in names}
    put = {key: env_files.TOKEN.sub(lambda match: values[match[1]], text) for key, text in entries.items()}
    return Materialised(binding.name, put, values)


def _described(ref: str, home: Owner, bundles: Mapping[str, Path]) -> dict[str, Any]:
    owner, relative = _located(ref, home, bundles)
    file = _inside(owner.root, owner.root / relative, ref)
    entries = env_files.read(file)
    return {
        "owner": {
            "bundle": owner.bundle,
            "adapter": "akm",
            "requestedRoot": str(owner.root),
            "requestedPath": str(file),
            "relativePath": relative,
        },
        "keys": sorted(entries),
        "secretNames": env_files.secret_names(entries),
    }


def _located(ref: str, home: Owner, bundles: Mapping[str, Path]) -> tuple[Owner, str]:
    parsed = ref_grammar.parse(ref)
    if not parsed.path.startswith(FOLDER):
        raise UsageError(
            f"{ref!r} is no env asset: write [<bundle>//]env/<name>.", code="WORKFLOW_SOURCE_INVALID"
        )
    relative = parsed.path if parsed.path.endswith(_ENDING) else f"{parsed.path}{_ENDING}"
    if parsed.bundle in (None, home.bundle):
        return home, relative
    if parsed.bundle not in bundles:
        raise NotFoundError(
            f"The env asset {ref} is in the bundle {parsed.bundle!r}, which is not configured.",
            code="FILE_NOT_FOUND",
            hint=suggestion(parsed.bundle or "", bundles) or "Add it with `akm bundle add NAME PATH`.",
        )
    return Owner(parsed.bundle or "", bundles[parsed.bundle]), relative


def _inside(root: Path, file: Path, ref: str) -> Path:
    if not file.is_file():
        raise NotFoundError(f"There is no env asset {ref}: looked for {file}.", code="FILE_NOT_FOUND")
    if Path(os.path.realpath(root)) not in Path(os.path.realpath(file)).parents:
        raise UsageError(
            f"The env asset {ref} leads out of its bundle: keep the file inside {root}.",
            code="PATH_ESCAPE_VIOLATION",
        )
    return file


def _refuse_changed(file: Path, what: str, found: list[str], frozen: object) -> None:
    if found != frozen:
        before = ", ".join(map(str, frozen)) if isinstance(frozen, list) and frozen else "none"
        raise UsageError(
            f"{file} has other {what} ({', '.join(found) or 'none'}) than when the run was started "
            f"({before}): put them back, or start a fresh run with --new.",
            code="WORKFLOW_SOURCE_INVALID",
        )
