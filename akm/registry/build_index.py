"""An index made from folders of bundles, to be published as one JSON file."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from akm.errors import UsageError
from akm.registry import bundle_files, git_origin
from akm.registry.git_origin import GitOrigin
from akm.registry.hit import INSTALL_PREFIXES
from akm.registry.index_format import Asset

VERSION: Final = 3
DESCRIPTION_FILE: Final = "bundle.toml"
#: What an entry may say that it holds. A task is listed as an asset alone.
_ASSET_TYPES = {"skill", "command", "agent", "knowledge", "workflow", "script", "memory", "vault", "wiki"}
_TEXTS = ("id", "name", "ref", "description", "homepage", "author", "license")
_LONGEST = 300


def build(folder: Path, *, at: str) -> dict[str, Any]:
    """Make an index of the bundle that `folder` is, or of those directly in it, by name.

    Raises UsageError when there is none, two have one id, or a `bundle.toml` cannot be used.
    """
    stashes = [_entry(bundle) for bundle in _bundles(folder)]
    ids = [entry["id"] for entry in stashes]
    if twice := next((id for id in ids if ids.count(id) > 1), None):
        raise UsageError(f"Two bundles in {folder} have the id {twice}: set `id` in a {DESCRIPTION_FILE}.")
    return {"version": VERSION, "updatedAt": at, "stashes": stashes}


def _bundles(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise UsageError(f"There is no folder {folder}: name one that holds bundles.")
    if bundle_files.is_bundle(folder):
        return [folder]
    inside = sorted(child for child in folder.iterdir() if child.is_dir() and not child.name.startswith("."))
    bundles = [child for child in inside if bundle_files.is_bundle(child)]
    if not bundles:
        raise UsageError(
            f"{folder} is no bundle and holds none.",
            hint=f"A bundle is a folder that holds one of: {', '.join(bundle_files.FOLDERS)}.",
        )
    return bundles


def _entry(bundle: Path) -> dict[str, Any]:
    told = _described(bundle)
    assets = bundle_files.assets(bundle)
    entry = {
        **_where(bundle, told),
        "description": _description(bundle),
        **{key: text for key in _TEXTS if (text := bundle_files.one_line(told.get(key)))},
        "latestVersion": bundle_files.one_line(told.get("version")),
        "tags": bundle_files.texts(told.get("tags")) or _tags(assets),
        "assetTypes": sorted({asset["type"] for asset in assets} & _ASSET_TYPES),
        "assets": assets,
    }
    return {key: value for key, value in entry.items() if value}


def _where(bundle: Path, told: dict[str, Any]) -> dict[str, str]:
    """Say what the bundle is called and where it is to be had."""
    place = bundle.resolve()
    known = git_origin.read(place) or GitOrigin("local", str(place), "")
    source, ref = told.get("source", known.source), bundle_files.one_line(told.get("ref"))
    if not isinstance(source, str) or source not in INSTALL_PREFIXES:
        names = ", ".join(INSTALL_PREFIXES)
        raise UsageError(f"{bundle / DESCRIPTION_FILE}: `source` must be one of {names}.")
    if source != known.source and not ref:
        raise UsageError(
            f"{bundle / DESCRIPTION_FILE}: `source` needs a `ref` beside it, which is not there."
        )
    ref = ref or known.ref
    return {
        "id": f"{source}:{place.name if source == 'local' else ref}",
        "name": place.name,
        "ref": ref,
        "source": source,
        "homepage": known.homepage,
    }


def _described(bundle: Path) -> dict[str, Any]:
    """Read what the bundle says of itself; an empty mapping when it says nothing."""
    import tomllib

    file = bundle / DESCRIPTION_FILE
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} cannot be read as UTF-8 text: {type(error).__name__}.") from error
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{file} is not TOML: {error}.") from error


def _description(bundle: Path) -> str:
    """Return the first paragraph of the README that holds words, not badges alone; empty without one."""
    from markdown_it import MarkdownIt

    file = next((path for path in sorted(bundle.iterdir()) if path.name.lower() == "readme.md"), None)
    body = bundle_files.metadata(file)[1] if file else ""
    tokens = MarkdownIt("commonmark").parse(body)
    paragraphs = (token for before, token in pairwise(tokens) if before.type == "paragraph_open")
    said = next((text for token in paragraphs if (text := _words(token.children or []))), "")
    return said if len(said) <= _LONGEST else said[: _LONGEST - 1].rstrip() + "…"


def _words(children: Iterable[Any]) -> str:
    """Return the text of a paragraph without its images and its markup."""
    written = {"text", "code_inline"}
    return " ".join(
        "".join(
            child.content if child.type in written else " " * (child.type == "softbreak")
            for child in children
        ).split()
    )


def _tags(assets: list[Asset]) -> list[str]:
    return sorted({tag for asset in assets for tag in asset.get("tags", [])})
