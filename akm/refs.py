"""Which workflow file a ref or a path means, and which stored refs mean the same workflow.

A file outside every configured bundle belongs to the implicit
bundle `project`, rooted at the scope anchor. Bundles are passed in: no configuration is read here.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from akm import paths
from akm.errors import NotFoundError, UsageError
from akm.ref_grammar import FOLDER, MARKDOWN, PROJECT, Ref, bundle_range, is_bundle_name, parse
from akm.spelling import suggestion, visible

__all__ = [
    "FOLDER",
    "PROJECT",
    "Ref",
    "Source",
    "bundle_range",
    "is_bundle_name",
    "names",
    "parse",
    "ref_set",
    "resolve",
]

_NO_TEXT = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Source:
    """A workflow file and its identity. `root` is the base directory of its units.

    `short` is the spelling without a bundle when that means this very file from here, else None.
    """

    ref: str
    path: Path
    root: Path
    bundle: str
    short: str | None = None


def resolve(target: str, *, bundles: Mapping[str, Path], anchor: Path, cwd: Path) -> Source:
    """Find the workflow file that `target` means: a path to a Markdown file, or a ref.

    Raises NotFoundError `WORKFLOW_NOT_FOUND` naming where it looked and what comes close, and UsageError
    when the target is ambiguous or names something that is no readable Markdown file.
    """
    place = _Place(bundles, anchor)
    if not target.strip():
        raise UsageError(
            "The name of the workflow is empty: give a ref such as workflows/release, or a file."
        )
    file = cwd / target
    if _is_path(target, file, place):
        return _source(_readable(file), place)
    if target.startswith(("/", "./", "../")) and not os.path.isdir(file):
        _refuse_shut(file)
        raise NotFoundError(
            f"There is no file {visible(target)}.",
            code="WORKFLOW_NOT_FOUND",
            hint="Check the path, or write one with `akm workflow create`.",
        )
    try:
        return _source(_readable(_find(parse(target), place)), place)
    except NotFoundError:
        if os.path.isdir(file) and "/" in target:
            raise UsageError(f"{visible(target)} is a directory: name one Markdown file in it.") from None
        raise


def names(bundles: Mapping[str, Path], anchor: Path) -> list[str]:
    """List the refs of the workflows that exist: the project's short, the others with their bundle."""
    found = [str(Ref(None, f"{FOLDER}/{name}")) for name in _stems(anchor / FOLDER)]
    for bundle, root in bundles.items():
        found.extend(str(Ref(bundle, f"{FOLDER}/{name}")) for name in _stems(root / FOLDER))
    return found


def ref_set(source: Source, typed: str) -> tuple[str, ...]:
    """Return every spelling under which rows of this workflow may be stored, the canonical one first."""
    spellings = (source.ref, typed, *((source.short,) if source.short else ()))
    return tuple(dict.fromkeys(spellings))


@dataclass(frozen=True, slots=True)
class _Place:
    bundles: Mapping[str, Path]
    anchor: Path

    def root(self, bundle: str) -> Path:
        if bundle == PROJECT:
            return self.anchor
        if bundle not in self.bundles:
            configured = ", ".join(self.bundles) or "none"
            raise NotFoundError(
                f"No bundle named {bundle!r} is configured (configured: {configured}).",
                code="WORKFLOW_NOT_FOUND",
                hint=suggestion(bundle, self.bundles) or "Add it with `akm bundle add NAME PATH`.",
            )
        return self.bundles[bundle]


def _is_path(target: str, file: Path, place: _Place) -> bool:
    bundle, separator, _ = target.partition("//")
    if separator and (bundle == PROJECT or bundle in place.bundles):
        return False
    if not ("/" in target or target.endswith(MARKDOWN)):
        return False
    return os.path.lexists(file) and not os.path.isdir(file)


def _find(ref: Ref, place: _Place) -> Path:
    candidates = _candidates(ref, place)
    found = [(bundle, path) for bundle, path in candidates if os.path.exists(path)]
    if not found:
        for _, path in candidates:
            _refuse_shut(path)
        looked = ", ".join(visible(path) for _, path in candidates)
        raise NotFoundError(
            f"There is no workflow {str(ref)!r}: looked for {looked}.",
            code="WORKFLOW_NOT_FOUND",
            hint=suggestion(str(ref), names(place.bundles, place.anchor))
            or "Write one with `akm workflow create`.",
        )
    owners = dict.fromkeys(bundle for bundle, _ in found)
    if ref.bundle is None and PROJECT not in owners and len(owners) > 1:
        name = ref.path.removeprefix(f"{FOLDER}/")
        spelled = " or ".join(f"{bundle}//{FOLDER}/{name}" for bundle in owners)
        raise UsageError(f"{str(ref)!r} exists in several bundles: write {spelled}.")
    return found[0][1]


def _candidates(ref: Ref, place: _Place) -> list[tuple[str, Path]]:
    bundles = [ref.bundle] if ref.bundle else [PROJECT, *place.bundles]
    spellings = [ref.path] if ref.path.startswith(f"{FOLDER}/") else [f"{FOLDER}/{ref.path}"]
    if ref.bundle and spellings != [ref.path]:
        spellings.insert(0, ref.path)
    return [(bundle, place.root(bundle) / f"{path}{MARKDOWN}") for bundle in bundles for path in spellings]


def _refuse_shut(file: Path) -> None:
    if paths.is_shut(file):
        raise UsageError(f"{visible(file)} cannot be read: you have no permission to.")


def _readable(file: Path) -> Path:
    shown = visible(file)
    # Python reads such bytes as halves of characters, which neither a plan nor a row of a ledger can hold.
    if _NO_TEXT.search(str(file)):
        raise UsageError(f"The path {shown} is no UTF-8 text, so no run of it can be kept: rename it.")
    try:
        mode = os.stat(file).st_mode
    except OSError as error:
        raise UsageError(f"{shown} cannot be read: {error.strerror}.") from error
    if not stat.S_ISREG(mode):
        raise UsageError(f"{shown} is no regular file: a workflow is one Markdown file.")
    if file.suffix != MARKDOWN:
        raise UsageError(
            f"{shown} is no workflow: a workflow is one Markdown file, with a name ending in .md."
        )
    if not os.access(file, os.R_OK):
        raise UsageError(f"{shown} cannot be read: you have no permission to.")
    return Path(os.path.normpath(file))


def _source(file: Path, place: _Place) -> Source:
    bundle, root, path = _owner(file, place)
    short = str(Ref(None, path)) if path.startswith(f"{FOLDER}/") else None
    if short is not None:
        try:
            if not _find(Ref(None, path), place).samefile(file):
                short = None
        except (NotFoundError, UsageError):  # Ambiguous from here: the short spelling means nothing.
            short = None
    return Source(str(Ref(bundle, path)), file, root, bundle, short)


def _owner(file: Path, place: _Place) -> tuple[str, Path, str]:
    """Say which bundle holds `file`: the innermost, by the path as written before the real path."""
    roots = sorted(place.bundles.items(), key=lambda item: -len(Path(os.path.realpath(item[1])).parts))
    for path in (file, Path(os.path.realpath(file))):
        for bundle, root in (*roots, (PROJECT, place.anchor)):
            for base in (root, Path(os.path.realpath(root))):
                if base in path.parents:
                    return bundle, root, path.relative_to(base).with_suffix("").as_posix()
    return PROJECT, place.anchor, Path(os.path.realpath(file)).with_suffix("").as_posix()


def _stems(folder: Path) -> Iterator[str]:
    if os.path.isdir(folder):
        for file in sorted(folder.rglob(f"*{MARKDOWN}")):
            yield file.relative_to(folder).with_suffix("").as_posix()
